// The constants of the model of a kernel's time (cost.hpp), and where each is from. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/checked.hpp"

namespace colex::gpu {

// The constants of the model. All are of an H200, so that on other devices only the order of kernels counts. "Fitted": chosen
// so that the model's times come near measured launches, of which tests/bench/NOTES.md has those that decided. "First model":
// from the first version, where nothing is noted. entry_test names the kernels that the model must choose.
namespace model {

inline constexpr double clock_rate = 1.755e9;  // cycles a second under load, which power bounds: first model
// The device's most, at which the constants of FMAs of f32 and of f64 are fitted. (Power bounds large products of f64, too.)
inline constexpr double clock_rate_boost = 1.98e9;
inline constexpr double shared_rate = 128;     // bytes a cycle of an SM from shared memory: 32 banks of 4 bytes
inline constexpr double l2_rate = 64;          // bytes a cycle of an SM from L2, alone: specified
inline constexpr double l2_share = 61;         // the same while all SMs read: fitted to one wave with and without clusters
inline constexpr double l2_fill_share = 44;    // bytes a cycle of an SM from memory into L2: fitted to memory-bound shapes
inline constexpr double l2_fill_hidden = 0.9;  // of that time and L2's own, so much of the shorter hides: fitted
// Of the memory's specified bandwidth: fitted to 4.1e12 bytes a second of 4.92e12; a copy within memory reaches 4.27e12.
inline constexpr double memory_share = 0.833;

// Operations a cycle of an SM. mma.sync, FMA and dp4a: measured, one after another in registers. wgmma and tcgen05: specified,
// of operands of 1 bit.
inline constexpr double rate_volta = 73, rate_turing = 2075, rate_f64 = 143, rate_f64_sm90 = 277, rate_tf32 = 1398,
                        rate_16_bit = 2793, rate_s8 = 5572, rate_fp8 = 6628;
inline constexpr double rate_fma_f64 = 130, rate_mad_s32 = 141, rate_fma_f32 = 255, rate_dp4a = 554;
inline constexpr double rate_wgmma_bits = 65536, rate_umma_bits = 131072;

// Kernels that read any layout load element by element, which makes their FMAs so much slower: first model.
inline constexpr double any_layout_factor = 2.5;
// Two-level accumulation adds the sums every 128 bytes of K, 128 sums a cycle: the rate of FADD.
inline constexpr double promotion_bytes = 128, promotion_rate = 128;
// Of the time in which threads bring operands to the matrix units half is seen (first model), with cp.async a third (fitted to
// f64); beside FMAs a share, and more the fewer FMAs a thread has for each step of K (fitted to f32). A gemv kernel's reads
// take longer than their bytes: fitted to f32 and to f64 with 1 to 16 rows, as its other constants.
inline constexpr double not_hidden = 1.0 / 2, not_hidden_async = 0.35, not_hidden_fma = 0.39, fmas_to_hide = 12,
                        not_hidden_gemv = 1.25, not_hidden_gemv_f64 = 2;
// Cycles of an SM in which a warp loads 32 elements one by one, beside FMAs. Fitted to f32.
inline constexpr double element_load_cycles = 0.56;

// What overlaps is not free: it takes power, and power limits the clock. The share of the time of L2, fitted; none where all
// tiles are one wave, whose blocks go through K side by side (8192x512x8192, 4096x512x4096).
inline constexpr double l2_power = 0.05;
// Two-level accumulation takes power, too: fitted to fp8 with and without it.
inline constexpr double two_level_factor = 1.05;

// A stage of a simt or warp tile is a trip to memory: cycles without and with cp.async, and of a gemv tile, fitted to f32 and
// to f64; of rows that are not aligned, which come through registers, fitted to bf16 with what a vector takes.
inline constexpr double memory_trip = 1150, memory_trip_async = 1830, memory_trip_gemv = 1100, memory_trip_unaligned = 800;
// The same while the memory is busy, in seconds; it bounds what blocks get that have few stages under way. Fitted to f32 and
// f64 with one to five rows.
inline constexpr double busy_memory_trip = 0.75e-6;
// Of gemv blocks: the memory's time of that of others, and how many trips a block takes besides its stages. Fitted to f32 with
// one to four rows, whose K was divided into 1 to 16 splits.
inline constexpr double gemv_memory_factor = 0.95, gemv_trips = 3;
// The same takes so much longer where elements have 16 bits, of which a thread loads one or two at once: fitted to bf16 at six
// products of one row.
inline constexpr double gemv_half_factor = 1.65;
// Cycles of an SM for 16 bytes that threads bring from rows that are not aligned, and of a thread for each vector besides a
// trip. Fitted to bf16 and s8.
inline constexpr double unaligned_cycles = 0.5, unaligned_vector_cycles = 150;
// The same of an SM for 4 and for 8 bytes that cp.async brings, and how much of that is hidden by MMAs where a block has the SM
// to itself; other blocks hide all. Fitted to bf16, tf32, s8 and f64.
inline constexpr double copy_cycles_4 = 0.18, copy_cycles_8 = 0.3, lone_copies_hidden = 0.5;
// Simt kernels with cp.async: the share of shared memory's time that is seen, in all tiles; cycles of shared memory for an
// element that is copied by itself; of a trip to memory; how much slower FMAs are where a scheduler has one warp. Fitted, with
// their launch, D's rate (below) and what is said of FMAs, to f32 at 127 products of an H100 and of H200s; constants
// fitted to four fifths of them reach 0.978 of the best kernels in the last.
inline constexpr double not_hidden_async_fma = 0.34, single_copy_cycles = 0.18, memory_trip_async_fma = 580,
                        lone_fma_factor = 1.07;
// Four warps alone on an SM, one to a scheduler, wait for their own MMAs: fitted to f64 (NOTES.md, "Four warps alone").
inline constexpr double lone_warps_factor = 1.42;
// How much slower a block of f32 or f64 is that has its SM to itself: no other multiplies while it waits at its barriers.
// Fitted to 49 random products of each and to large cubes of f32.
inline constexpr double lone_block_factor = 1.08;

// Cycles of a stage of a warpgroup's tile, however narrow: the wait for it, four dependent wgmmas, its release. 8 stages took
// 1,700 with what comes before them (NOTES.md, "Small products are latency"); fitted.
inline constexpr double stage_cycles = 260;
// The same where A comes from registers, through which each stage goes: fitted to tf32 at 158 products.
inline constexpr double stage_cycles_registers = 345;
// How much slower ping-pong is in a cluster, whose blocks wait for each other's groups: fitted to 300 products of all types.
inline constexpr double pingpong_cluster_factor = 1.12;
// How much slower tiles of three stages are where A lies along M: fitted to bf16 256x160 at six products.
inline constexpr double three_stages_factor = 1.15;

// Epilogues. TMA stores of one or two warpgroups: cycles of a piece of 128 bytes of a warp's rows. Fitted to measured launches.
inline constexpr double tma_store_cycles = 800;
// Of other families' tiles whose rows are not D's: cycles more. Fitted to products of a few tiles.
inline constexpr double across_store_cycles = 2200;
// Of tiles of f64 whose rows are D's but do not begin at 16 bytes: cycles of an element. Fitted to mma.sync's at five products,
// which take 0.3 to 1.3.
inline constexpr double unaligned_store_cycles_f64 = 0.7;
// Elements a cycle of an SM: the epilogues of mma.sync; those with sums of s32, fitted with their launch to 84 products; of f64
// those of a warp, fitted to 26 products, of which those with a short K decide; beside FMAs those of a block, and of two at
// once, by way of shared memory and not; those of a warpgroup's threads, for columns of 32 bits, which are staged word by word,
// for layouts whose modes have one stride, and for other layouts. Fitted to results of such layouts.
inline constexpr double epilogue_rate = 8, epilogue_rate_s32 = 1.5, epilogue_rate_f64 = 0.25, epilogue_rate_fma = 0.65,
                        epilogue_rate_held = 2.5, column_store_rate = 64, strided_store_rate = 10, offset_store_rate = 2;
// Bytes that memory moves for an element of D whose neighbours are not stored with it: a sector.
inline constexpr double sector = 32;

// Cycles from the end of the launch before to the first stage: of Hopper's kernel, of the others, of simt kernels with
// cp.async, of mma.sync with sums of s32, of gemv kernels, and how much later a cluster is, whose blocks begin together. Fitted
// to measured launches; NOTES.md, "Small products are latency", has their parts.
inline constexpr double launch_cycles_sm90 = 1800, launch_cycles_other = 5500, launch_cycles_async_fma = 7700,
                        launch_cycles_s32 = 1300, launch_cycles_gemv = 2250, launch_cycles_cluster = 1300;

// Lines of 128 bytes that L2 hands out for a row of 128 bytes that does not begin at a line: two, some of which the next row
// takes, too; fewer where it begins at a sector of 32 bytes, so that it is four of them and not five. Fitted.
inline constexpr double lines_of_unaligned_row = 2, lines_of_whole_sectors = 1.41;
// Cycles for which a block that asks L2 for a line of 128 bytes keeps the others waiting that ask for the same one. Fitted.
inline constexpr double line_cycles = 1.7;
// A launch that copies an operand by rows, and others: seconds; of the memory's bandwidth, by rows; bytes a second through
// shared memory, and where offsets are divided out. Fitted to copies of each kind. Two copies run side by side: the
// seconds that this saves, fitted to 44 products of bf16 and tf32 with an odd N or K.
inline constexpr double copy_launch = 6e-6, copy_lines_launch = 3.3e-6, copies_side_by_side = 2.1e-6, copy_rows_share = 0.711,
                        copy_transposing_rate = 1.45e12, copy_offsets_rate = 0.7e12;
// Split-K's reduction by a launch of its own: seconds, behind Hopper's kernel, fitted to bf16 at 79 random products on an H100,
// behind kernels for unaligned rows, fitted as their cycles are, and behind others; bytes a second from L2 or memory. Fitted to
// f32 at 512 and 1024.
inline constexpr double reduction_launch_sm90 = 4e-6, reduction_launch_unaligned = 8e-6, reduction_launch_other = 2e-6,
                        reduction_rate = 3.5e12;
// Split-K's reduction in a cluster: seconds to synchronize, fitted to f32 from 512 to 3328; bytes a cycle that a block writes
// or reads, fitted to bf16.
inline constexpr double cluster_sync_seconds = 0.6e-6, cluster_rate = 22;
inline constexpr double reduction_waves = 8;  // tiles for each SM up to which a second launch is considered at all
// Candidates that are asked for all numbers of splits. With 8 the model expects no more of 1,200 random products than with 4.
inline constexpr std::size_t split_more_finely = 4;
// Where TMA produces, the model holds undivided tiles that wait for L2 for too slow, so that split-K must win by more: of
// Hopper's kernel fitted to the same products, of others to tf32 at 128x8192x8192.
inline constexpr double split_k_margin_sm90 = 1.1, split_k_margin_other = 1.24;

// Of the SMs' time and memory's, so much of the shorter hides behind the longer. The rest tells ties apart.
inline constexpr double hidden = 0.95;
// The same of L2's and of memory's for D, which goes through L2, too. Fitted to large results of bf16 with K up to 600.
inline constexpr double stores_hidden = 0.5;

// mma.sync on devices whose own matrix instructions are newer. Whatever the rest of the model says, where wgmma reads both
// operands it was the fastest at none of 169 products of an H200 (tests/bench/measured.txt), at best 0.96 of wgmma: fitted to
// these; the constants of s32 are fitted beside it. Where wgmma needs a copy, of rows that threads bring through registers or
// by narrow copies: fitted to 76 products of bf16 and tf32.
inline constexpr double older_factor = 1.5, older_factor_narrow = 1.1;

// An H200's SM, which bounds how many simt and warp blocks run at once: registers; bytes of shared memory, of which each block
// takes 1024 more; threads. Specified.
inline constexpr int64 sm_registers = 65536, sm_shared = 228 << 10, sm_shared_of_block = 1024, sm_threads = 2048;

}  // namespace model

}  // namespace colex::gpu
