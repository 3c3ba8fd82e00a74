(* Partitions: threads and values over a tile, tiles over a tensor. Each element has exactly one owner. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Product Inverse.
Local Open Scope N_scope.

(* Thread t and value v of a layout (T, V) of two modes. *)
Definition owned (T V : layout N) (t v : N) : N := apply T t + apply V v.

Lemma pair_index (T V : layout N) t v : shaped T = true -> shaped V = true -> t < size T -> v < size V ->
  t + size T * v < size (Node [T; V]) /\ apply (Node [T; V]) (t + size T * v) = owned T V t v.
Proof.
  intros ST SV Ht Hv. split; [simpl; rewrite N.mul_1_r; now apply digits_below|].
  change (apply (Node [T; V]) (t + size T * v))
    with (apply T ((t + size T * v) mod size T) + apply V ((t + size T * v) / size T)).
  now rewrite digit_mod, digit_div.
Qed.

(* Where (T, V) takes 0 .. size-1 once each, every element belongs to exactly one thread, as exactly one of its values.
  *)
Theorem partition_once (T V : layout N) x : shaped T = true -> shaped V = true -> compact_layout (Node [T; V]) ->
  x < size T * size V -> exists! p, fst p < size T /\ snd p < size V /\ owned T V (fst p) (snd p) = x.
Proof.
  intros ST SV C Hx. assert (S : shaped (Node [T; V]) = true) by (apply shaped_node; auto).
  assert (Z : size (Node [T; V]) = size T * size V) by (simpl; lia). pose proof (size_positive T ST) as PT.
  assert (In x (image (leaves (Node [T; V])))) as I by (apply (Permutation_in _ (Permutation_sym C)), in_iota; lia).
  rewrite image_leaves, in_map_iff in I by easy. destruct I as (i & E & Hi). rewrite in_iota, Z in Hi.
  exists (i mod size T, i / size T). simpl. assert (Hq : i / size T < size V) by now apply div_below. split.
  - repeat split; [apply N.mod_lt; lia|easy|exact E].
  - intros [t v] (Ht & Hv & Ev). cbn [fst snd] in *. destruct (pair_index T V t v ST SV Ht Hv) as [L W].
    assert (i = t + size T * v) as ->
      by (apply (compact_injective (Node [T; V]) _ _ C S); [now rewrite Z|exact L|congruence]).
    now rewrite digit_mod, digit_div.
Qed.

(* A tiled copy or MMA: the tensor A composed with a thread-value layout that is a bijection onto its indices. Then
  thread
   and value reach each element of A exactly once: the values are those of A, each as often. *)
Theorem partition_permutes {D} `{module D} (A R : layout D) (T V : layout N) : shaped A = true -> shaped T = true ->
  shaped V = true -> compact_layout (Node [T; V]) -> size (Node [T; V]) = size A ->
  composition A (Node [T; V]) = Some R -> Permutation (image (leaves R)) (image (leaves A)).
Proof.
  intros SA ST SV C Z E. assert (S : shaped (Node [T; V]) = true) by (apply shaped_node; auto).
  destruct (composition_sound A _ R S E) as (Cm & SR & W). apply compatible_size in Cm. rewrite !tsize_shape in Cm.
  rewrite (image_leaves R SR), <- Cm, (image_leaves A SA).
  transitivity (map (apply A) (map (apply (Node [T; V])) (iota (size (Node [T; V]))))).
  - rewrite map_map. erewrite map_ext_in; [reflexivity|]. intros i Hi. apply W. now apply in_iota.
  - apply Permutation_map. rewrite <- (image_leaves (Node [T; V]) S), <- Z. exact C.
Qed.

(* Tiles: where a tile B divides A, local tiles cover A and are disjoint: element x of A lies in exactly one tile. *)
Theorem tiles_once {D} (A : layout D) B x : shaped A = true -> shaped B = true -> broadcasts B = false ->
  chained (sorted_leaves B) = true -> (top B | size A) -> x < size A -> exists C, complement B (size A) = Some C /\
  exists! p, fst p < size B /\ snd p < size C /\ owned B C (fst p) (snd p) = x.
Proof.
  intros SA SB NB CB T Hx. pose proof (size_positive A SA) as PA.
  destruct (complement_covers B (size A) PA SB NB CB) as (C & EC & I). exists C. split; [easy|].
  pose proof (complement_shaped B (size A) C PA EC) as SC.
  assert (top B * ceil (size A) (top B) = size A) as Z.
  { destruct T as [q Hq]. assert (0 < top B) by nia. rewrite Hq, (N.mul_comm q), ceil_exact by easy. easy. }
  assert (size B * size C = size A) as ZBC.
  { rewrite !size_product, <- numel_app. apply Permutation_length in I. rewrite length_image, length_iota, Z
      in I. rewrite <- (size_product A). lia. }
  apply partition_once; [easy|easy| |lia]. unfold compact_layout.
  change (leaves (Node [B; C])) with (leaves B ++ (leaves C ++ [])). rewrite app_nil_r, I, Z. simpl.
  now rewrite N.mul_1_r, ZBC.
Qed.
