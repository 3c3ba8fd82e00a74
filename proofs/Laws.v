(* The index: every theorem, and that it rests on nothing but the rules of Coq. First the laws, in the order of spec/laws.md. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Import Numbers Layout Tuple Coordinate Coalesce Composition.

Print Assumptions rank_definition.
Print Assumptions depth_definition.
Print Assumptions size_product.
Print Assumptions product_each_sizes.
Print Assumptions congruent_definition.
Print Assumptions congruent_symmetric.
Print Assumptions congruent_reflexive.
Print Assumptions weakly_congruent_definition.
Print Assumptions weakly_congruent_antisymmetric.
Print Assumptions weakly_congruent_transitive.
Print Assumptions compatible_definition.
Print Assumptions compatible_reflexive.
Print Assumptions compatible_antisymmetric.
Print Assumptions compatible_transitive.
Print Assumptions compatible_least.
Print Assumptions compatible_maximal.
Print Assumptions compatible_coordinates.
Print Assumptions evenly_divides_exact.
Print Assumptions evenly_divides_integers.
Print Assumptions evenly_divides_by_mode.
Print Assumptions ceil_div_rounds_up.
Print Assumptions ceil_div_by_mode.
Print Assumptions ceil_div_carries.
Print Assumptions shape_div_exact.
Print Assumptions shape_div_carries.
Print Assumptions crd2idx_definition.
Print Assumptions crd2idx_strided.
Print Assumptions idx2crd_inverse.
Print Assumptions idx2crd_bounds.
Print Assumptions idx2crd_digits.
Print Assumptions idx2crd_strided.
Print Assumptions apply_definition.
Print Assumptions apply_beyond_domain.
Print Assumptions apply_by_mode.
Print Assumptions apply_index.
Print Assumptions coalesce_function.
Print Assumptions coalesce_flat.
Print Assumptions coalesce_canonical.
Print Assumptions coalesce_idempotent.
Print Assumptions coalesce_profile.
Print Assumptions filter_zeros_leaves.
Print Assumptions filter_definition.
Print Assumptions filter_profile.
Print Assumptions composition_pointwise.
Print Assumptions composition_beyond_domain.
Print Assumptions composition_signed.
Print Assumptions composition_compatible.
Print Assumptions composition_exists.
Print Assumptions composition_left_identity.
Print Assumptions composition_right_identity.
Print Assumptions composition_associative.
Print Assumptions composition_distributes.
Print Assumptions composition_coalesced.

(* Further theorems, listed in README.md. *)
