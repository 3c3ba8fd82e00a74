// The families as patterns: {a|b} is one of a and b, {#n} a multiple of n up to 32 n.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/arguments/draw_atoms.hpp"

namespace colex {
namespace {

using patterns = std::vector<std::string>;

std::string const narrow = "{float_e4m3_t|float_e5m2_t|float_e3m2_t|float_e2m3_t|float_e2m1_t}", bytes = "{S8|U8}{S8|U8}",
                  nibbles = "{S4|U4}{S4|U4}", eights = "{E4M3|E5M2}{E4M3|E5M2}",
                  sparse_wgmma = "SM90::GMMA::SPARSE::GMMA_64x{8|16|32|64|96|128|192|256}", times = "{1|2|4|8|16|32",
                  more = "{|_16b}", n1 = "{64|16|32|96|128|192|256}", n2 = "{64|32|96|128|192|256}", ways = "{SS|TS|SS_SPARSE}",
                  fours = "<float_e2m1_t,float_e2m1_t,float,";

patterns const shaped = {"SM80_16x8x{16|8}_{F16F16F16F16|F32F16F16F32|F32BF16BF16F32}_TN",
                         "SM100_{2x1x1|1x2x1}_F32F32F32F32",
                         "SM70_8x8x4_{F16F16F16F16|F32F16F16F32}_{TN|NT|NN|TT}",
                         "SM75_{16x8x8_F16F16F16F16|16x8x8_F32F16F16F32|8x8x16_S32S8S8S32}_TN",
                         "SM80_16x8x{4|8}_F32TF32TF32F32_TN",
                         "SM80_8x8x4_{F64F64F64F64|C64C64C64C64|GC64C64C64GC64}_TN",
                         "SM80_{8x8x16|16x8x16|16x8x32}_S32" + bytes + "S32_TN{|_SATURATE}",
                         "SM80_{8x8x32|16x8x32|16x8x64}_S32" + nibbles + "S32_TN{|_SATURATE}",
                         "SM80_{8x8x128|16x8x128|16x8x256}_S32U1U1S32_TN_{XORPOPC|ANDPOPC}",
                         "SM89_16x8x32_F32" + eights + "F32_TN",
                         "SM89_16x8x32_F16" + eights + "F16_TN",
                         "SM90_16x8x{4|8|16}_{F64F64F64F64|C64C64C64C64}_TN",
                         "SM90_64x{#8}x16_{F16F16F16|F32F16F16|F32BF16BF16}_{SS|RS}",
                         "SM90_64x{#8}x16_F32BF16BF16_SS<{K|MN},{K|MN}>",
                         "SM90_64x{#8}x8_F32TF32TF32_{SS|RS}_TN",
                         "SM90_64x{#8}x32_{F16|F32}" + eights + "_{SS|RS}_TN",
                         sparse_wgmma + "x16_F32TF32TF32_{SS|RS}_TN",
                         "SM120_16x8x32_TN<" + narrow + "," + narrow + ",{float|half_t}>"};
patterns const scaled = {"SM120_16x8x32_TN_VS<" + narrow + "," + narrow + ",float,float_ue8m0_t,32>",
                         "SM120_16x8x64_TN_VS" + fours + "{float_ue8m0_t,32|float_ue8m0_t,16|float_ue4m3_t,16}>",
                         "SM120_SPARSE_16x8x64_TN_VS<" + narrow + "," + narrow + ",float,float_ue8m0_t,64>",
                         "SM120_SPARSE_16x8x128_TN_VS" + fours + "{float_ue8m0_t,64|float_ue4m3_t,32}>"};
patterns const sparse = {sparse_wgmma + "x32_{F16F16F16|F32F16F16|F32BF16BF16}_{SS|RS}",
                         sparse_wgmma + "x16_F32TF32TF32_{SS|RS}_TN",
                         sparse_wgmma + "x64_{F16|F32}" + eights + "_{SS|RS}_TN",
                         sparse_wgmma + "x64_S32" + bytes + "_{SS|RS}_TN{|_SATURATE}",
                         "SM120_SPARSE_16x8x64_TN<" + narrow + "," + narrow + ",{float|half_t}>",
                         scaled[2],
                         scaled[3]};

patterns const others = {
    "UniversalFMA",
    "SM61_DP{4|2}A",
    "SM100_MMA_F16BF16_" + ways + "<{half_t,half_t|bfloat16_t,bfloat16_t},float,{128|64}," + n1 + ">",
    "SM100_MMA_TF32_" + ways + "<tfloat32_t,tfloat32_t,float,{128|64}," + n1 + ">",
    "SM100_MMA_S8_" + ways + "<int8_t,int8_t,int32_t,{128|64}," + n1 + ">",
    "SM100_MMA_F8F6F4_" + ways + "<" + narrow + "," + narrow + ",{float|half_t},{128|64}," + n1 + ">",
    "SM100_MMA_F16BF16_2x1SM_" + ways + "<half_t,half_t,float,{256|128}," + n2 + ">",
    "SM100_MMA_TF32_2x1SM_" + ways + "<tfloat32_t,tfloat32_t,float,{256|128}," + n2 + ">",
    "SM100_MMA_S8_2x1SM_" + ways + "<int8_t,int8_t,int32_t,{256|128}," + n2 + ">",
    "SM100_MMA_F8F6F4_2x1SM_" + ways + "<" + narrow + "," + narrow + ",float,{256|128}," + n2 + ">",
    "SM100_MMA_MXF8F6F4_{SS|SS_SPARSE}<" + narrow + "," + narrow + ",float,float_ue8m0_t,128," + n1 + ">",
    "SM100_MMA_MXF8F6F4_2x1SM_{SS|SS_SPARSE}<" + narrow + "," + narrow + ",float,float_ue8m0_t,256," + n2 + ">",
    "SM100_MMA_MXF4_SS" + fours + "{float_ue8m0_t|float_ue4m3_t},128," + n1 + ",16>",
    "SM100_MMA_MXF4_2x1SM_SS" + fours + "float_ue8m0_t,{256|128}," + n2 + ",32>",
    "SM103_MXF4_ULTRA_SS_VS" + fours + "float_ue8m0_t,128," + n1 + ",32>",
    "SM103_MXF4_ULTRA_2x1SM_SS_VS" + fours + "float_ue8m0_t,{256|128}," + n2 + ",32>"};

patterns const copies = {
    "UniversalCopy<{uint8_t|uint16_t|uint32_t|uint64_t|uint128_t|half_t|float|double}>",
    "AutoVectorizingCopyWithAssumedAlignment<{128|8}>",
    "SM80_CP_ASYNC_CACHEALWAYS{|_ZFILL}<uint{32|64|128}_t>",
    "SM80_CP_ASYNC_CACHEGLOBAL{|_ZFILL}<uint128_t>",
    "SM75_U32x{1|2|4}_LDSM_N",
    "SM75_U16x{2|4|8}_LDSM_T",
    "SM90_U32x{1|2|4}_STSM_N",
    "SM90_U16x{2|4|8}_STSM_T",
    "SM100_U8x{8|16}_LDSM_T",
    "SM100_U8x{4|8|16}_STSM_T",
    "SM100_SU{4|6}_DU8x16_x{1|2|4}_LDSM_N",
    "SM75_U32x1_MOVM_T",
    "SM50_Shuffle_U32_2x2Trans_XOR{1|4}",
    "SM100_{LOAD|STORE}_256bit_CACHE_NOALLOCATION",
    "SM90_BULK_COPY_{G2S|S2G},{#128}b",
    "SM90_TMA_{LOAD|LOAD_OP|LOAD_MULTICAST|LOAD_MULTICAST_OP|STORE|STORE_PTR|REDUCE_ADD},{#128}b",
    "SM100_TMA_2SM_{LOAD|LOAD_OP|LOAD_MULTICAST_OP},{#128}b",
    "SM100_TMEM_{LOAD|STORE}_{32dp32b|16dp32b|16dp64b}" + times + "|64|128}x" + more,
    "SM100_TMEM_{LOAD|STORE}_16dp128b" + times + "|64}x" + more,
    "SM100_TMEM_{LOAD|STORE}_16dp256b" + times + "}x" + more,
    "SM100_TMEM_LOAD_STAT_32dp32b{32|128}x",
    "SM100_UTCCP_{128dp256bit|128dp128bit|4dp256bit|4x32dp128bit|2x64dp128bitlw0213|2x64dp128bitlw0123}_{1|2}cta"};

std::string const& any(choices& c, std::vector<std::string> const& of) { return of[c.below(of.size())]; }

patterns alternatives(std::string const& hole) {
  patterns out;
  if (hole[0] == '#')
    for (std::size_t k = 1; k <= 32; ++k) out.push_back(std::to_string(k * std::stoul(hole.substr(1))));
  else
    for (std::size_t from = 0, to = 0; to < hole.size(); from = to + 1) {
      to = std::min(hole.find('|', from), hole.size());
      out.push_back(hole.substr(from, to - from));
    }
  return out;
}
value name_like(choices& c, std::string const& pattern) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{') {
      out += pattern[at];
      continue;
    }
    std::size_t const close = pattern.find('}', at);
    out += any(c, alternatives(pattern.substr(at + 1, close - at - 1)));
    at = close;
  }
  return word_of(out);
}

}  // namespace

patterns mma_families() {
  patterns all = shaped;
  for (patterns const& more : {scaled, patterns(sparse.begin(), sparse.end() - 2), others})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}
patterns copy_families() { return copies; }

patterns names_in(std::string const& family) {
  std::size_t const open = family.find('{');
  if (open == family.npos) return {family};
  std::size_t const close = family.find('}', open);
  patterns const rest = names_in(family.substr(close + 1));
  patterns out;
  for (std::string const& each : alternatives(family.substr(open + 1, close - open - 1)))
    for (std::string const& end : rest) out.push_back(family.substr(0, open) + each + end);
  return out;
}

value draw_mma_name(choices& c) {
  switch (c.below(4)) {
    case 0: return draw_shaped_mma_name(c);
    case 1: return draw_scaled_mma_name(c);
    case 2: return draw_sparse_mma_name(c);
    default: return name_like(c, any(c, others));
  }
}
value draw_shaped_mma_name(choices& c) { return name_like(c, any(c, shaped)); }
value draw_scaled_mma_name(choices& c) { return name_like(c, any(c, scaled)); }
value draw_sparse_mma_name(choices& c) { return name_like(c, any(c, sparse)); }
value draw_copy_name(choices& c) { return name_like(c, any(c, copies)); }
value draw_mma_field(choices& c) {
  return word_of(any(c, {"ALayout", "BLayout", "CLayout", "Shape_MNK", "ThrID", "SFALayout", "SFBLayout", "ELayout"}));
}
value draw_copy_field(choices& c) { return word_of(any(c, {"SrcLayout", "DstLayout", "RefLayout", "ThrID"})); }

value spoilt(choices& c, value name) {
  static std::vector<std::string> const wrong = {"SM90_64x12x16_F16F16F16_SS",
                                                 "SM90_64x264x16_F16F16F16_SS",
                                                 "SM90_64x64x32_F16F16F16_SS",
                                                 "SM80_16x8x32_F32F16F16F32_TN",
                                                 "SM80_16x8x16_F32F16BF16F32_TN",
                                                 "SM70_8x8x4_F16F16F16F16_TX",
                                                 "SM100_MMA_F16BF16_SS<half_t,half_t,float,96,64>",
                                                 "SM100_MMA_TF32_SS<half_t,half_t,float,128,64>",
                                                 "SM120_16x8x32_TN<half_t,half_t,float>",
                                                 "SM75_U32x3_LDSM_N",
                                                 "SM80_CP_ASYNC_CACHEGLOBAL<uint32_t>",
                                                 "SM90_TMA_LOAD,100b",
                                                 "SM100_TMEM_LOAD_16dp256b64x"};
  switch (c.below(8)) {
    case 5: name.word += "_FOO"; break;
    case 6: name.word = "X" + name.word; break;
    case 7: name.word = any(c, wrong); break;
  }
  return name;
}

}  // namespace colex
