(* The modes that move, sorted as gpu/algebra/complement.hpp sorts them; complement in 64 bits. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Coalesce_64 Inverse Recomplement.
Local Open Scope N_scope.
Notation weighted_modes := (list (N * (N * N))).

Definition stride_of (m : N * (N * N)) : N := fst (snd m).
Definition moves (m : N * (N * N)) : bool := (1 <? fst m) && negb (stride_of m =? 0).

(* sorted_modes: each mode that moves goes behind those of its stride or less, from the end on;
   the last comes first here. *)
Fixpoint insert_back (x : N * (N * N)) (l : weighted_modes) : weighted_modes :=
  match l with
  | [] => [x]
  | y :: r => if stride_of x <? stride_of y then y :: insert_back x r else x :: l
  end.
Fixpoint sort_moving (l : list (N * N)) (w : N) (m : weighted_modes) : outcome weighted_modes :=
  match l with
  | [] => Yes (rev m)
  | (s, d) :: l =>
      let n := if moves (s, (d, w)) then insert_back (s, (d, w)) m else m in
      w <~ times_64 w s; sort_moving l w n
  end.
Definition sorted_modes_64 (A : layout N) : outcome weighted_modes := l <~ merge_64 (leaves A); sort_moving l 1 [].

(* Does a mode begin before the end of the one before? Where the last ends. *)
Fixpoint overlap_64 (l : weighted_modes) : outcome bool :=
  match l with
  | [] => Yes false
  | (s, (d, _)) :: l =>
      match l with
      | [] => Yes false
      | m :: _ => e <~ times_64 s d; if stride_of m <? e then Yes true else overlap_64 l
      end
  end.
Definition top_64 (l : weighted_modes) : outcome N :=
  match rev l with
  | [] => Yes 1
  | (s, (d, _)) :: _ => times_64 s d
  end.
Fixpoint fill_64 (factor filled : N) (l : weighted_modes) (m : list (N * N)) : outcome (list (N * N)) :=
  match l with
  | [] => push_64 m factor filled
  | (s, (d, _)) :: l => n <~ push_64 m (d / filled) filled; e <~ times_64 s d; fill_64 factor e l n
  end.
Definition complement_64 (A : layout N) (M : N) : outcome (layout N) :=
  if M <? 1 then No else
  l <~ sorted_modes_64 A; o <~ overlap_64 l;
  if o then No else t <~ top_64 l; m <~ fill_64 (ceil_div_64 M t) 1 l []; Yes (unwrapped (rev m)).

(* ---- sorted_modes ---- *)

(* The same from the front. *)
Fixpoint insert_behind (x : N * (N * N)) (l : weighted_modes) : weighted_modes :=
  match l with
  | [] => [x]
  | y :: r => if stride_of y <=? stride_of x then y :: insert_behind x r else x :: l
  end.
Lemma insert_behind_greatest x l : (forall y, In y l -> stride_of y <= stride_of x) -> insert_behind x l = l ++ [x].
Proof.
  induction l as [|y l IH]; intros G; [easy|]. cbn. pose proof (proj2 (N.leb_le _ _) (G y (or_introl eq_refl))) as ->.
  f_equal. apply IH. intros z I. apply G. now right.
Qed.
Lemma insert_behind_before x y l : stride_of x < stride_of y -> insert_behind x (l ++ [y]) = insert_behind x l ++ [y].
Proof.
  intros L. induction l as [|z l IH]; cbn.
  - destruct (N.leb_spec (stride_of y) (stride_of x)); [lia|easy].
  - destruct (_ <=? _); [now rewrite IH|easy].
Qed.
Lemma sorted_end l y : sorted stride_of (l ++ [y]) = true ->
  sorted stride_of l = true /\ forall z, In z l -> stride_of z <= stride_of y.
Proof.
  induction l as [|x l IH]; intros S; [easy|]. rewrite <- app_comm_cons in S. destruct (sorted_least _ _ _ S) as [S' G].
  destruct (IH S') as [T K]. split.
  - cbn [sorted app] in *. rewrite T, andb_true_r. destruct l as [|z l]; [easy|]. apply N.leb_le, G. now left.
  - intros z [<-|I]; [|now apply K]. apply G, in_or_app. right. now left.
Qed.
Lemma insert_back_behind x r : sorted stride_of (rev r) = true -> rev (insert_back x r) = insert_behind x (rev r).
Proof.
  induction r as [|y r IH]; intros S; [easy|]. cbn [rev insert_back] in *. destruct (sorted_end _ _ S) as [T G].
  destruct (N.ltb_spec (stride_of x) (stride_of y)).
  - cbn [rev]. rewrite IH, insert_behind_before by easy. reflexivity.
  - cbn [rev]. rewrite (insert_behind_greatest x); [easy|]. intros z I. apply in_app_or in I as [I|[<-|[]]]; [|easy].
    specialize (G z I). lia.
Qed.
Lemma insert_commutes x y l : insert stride_of y (insert_behind x l) = insert_behind x (insert stride_of y l).
Proof.
  induction l as [|z l IH]; cbn [insert insert_behind];
    repeat match goal with |- context [?a <=? ?b] => destruct (N.leb_spec a b); cbn [insert insert_behind] end;
    rewrite ?IH; easy || lia.
Qed.
Lemma sort_end x l : sort stride_of (l ++ [x]) = insert_behind x (sort stride_of l).
Proof.
  induction l as [|y l IH]; [easy|]. cbn [app sort fold_right] in *.
  fold (sort stride_of (l ++ [x])) (sort stride_of l).
  now rewrite IH, insert_commutes.
Qed.

Lemma sort_moving_spec l w r : positive l = true -> 0 < w ->
  sort_moving l w r = if below_64 (w * numel l) || match l with [] => true | _ => false end
    then Yes (rev (fold_left (fun m x => if moves x then insert_back x m else m) (weighted l w) r)) else Beyond.
Proof.
  revert w r. induction l as [|[s d] l IH]; intros w r P Hw; [cbn; now rewrite orb_true_r|].
  apply positive_cons in P as [Hs P]. cbn [sort_moving weighted fold_left numel]. rewrite orb_false_r. unfold times_64.
  destruct (below_64 (w * s)) eqn:B; cbn [and_then].
  - rewrite IH by (easy || nia). rewrite <- N.mul_assoc.
    destruct l; [cbn [numel]; now rewrite N.mul_1_r, B, orb_true_r|now rewrite orb_false_r].
  - destruct (below_64 (w * (s * numel l))) eqn:C; [|easy]. pose proof (numel_positive l P).
    rewrite (below_64_le (w * s) (w * (s * numel l))) in B; [easy|nia|easy].
Qed.
Lemma sorted_insert l m x : rev m = sort stride_of (List.filter moves l) ->
  rev (if moves x then insert_back x m else m) = sort stride_of (List.filter moves (l ++ [x])).
Proof.
  intros E. rewrite filter_app. cbn [List.filter]. destruct (moves x); [|now rewrite app_nil_r].
  rewrite sort_end, <- E. apply insert_back_behind. rewrite E. apply sort_sorted.
Qed.
Lemma sorted_fold l k m : rev m = sort stride_of (List.filter moves k) ->
  rev (fold_left (fun m x => if moves x then insert_back x m else m) l m) = sort stride_of (List.filter moves (k ++ l)).
Proof.
  revert k m. induction l as [|x l IH]; intros k m E; [cbn; now rewrite app_nil_r|]. cbn [fold_left].
  rewrite (IH (k ++ [x])); [now rewrite <- app_assoc|]. now apply sorted_insert.
Qed.
Lemma below_64_1 : below_64 1 = true.
Proof. reflexivity. Qed.

(* The sorted modes, if 64 bits count the elements. *)
Lemma sort_moving_sorts l : positive l = true ->
  sort_moving l 1 [] = if below_64 (numel l) then Yes (sort stride_of (List.filter moves (weighted l 1))) else Beyond.
Proof.
  intros P. rewrite sort_moving_spec, N.mul_1_l, (sorted_fold _ []) by (easy || lia).
  destruct l; [cbn; now rewrite below_64_1|]. now rewrite orb_false_r.
Qed.
Lemma weighted_unwrapped l : List.filter moves (weighted (leaves (unwrapped l)) 1) = List.filter moves (weighted l 1).
Proof. rewrite leaves_unwrapped. now destruct l. Qed.
(* They are the moving leaves of the coalesced layout with their weights, in the order in which ref/ sorts them. *)
Theorem sorted_modes_64_exact A : shaped A = true -> held_64 (leaves A) = true ->
  sorted_modes_64 A = if below_64 (size A) then Yes (weighted_sorted (coalesce A)) else Beyond.
Proof.
  intros S K. apply andb_true_iff in K as [L F]. apply Nat.leb_le in L. unfold sorted_modes_64.
  destruct (merge_spec (leaves A) S) as (E & P & _). rewrite merge_64_merges by easy. rewrite size_product.
  assert (C : sort_moving (merge (leaves A)) 1 [] =
    if below_64 (numel (leaves A)) then Yes (weighted_sorted (coalesce A)) else Beyond).
  { rewrite sort_moving_sorts, E by easy. unfold weighted_sorted, weighted_moving, coalesce.
    change (fun m : N * (N * N) => fst (snd m)) with stride_of.
    change (fun m : N * (N * N) => (1 <? fst m) && negb (fst (snd m) =? 0)) with moves.
    now rewrite weighted_unwrapped. }
  destruct (below_64 (numel (leaves A))) eqn:B.
  - destruct (held_numel (merge (leaves A)) P) as [-> _]; [pose proof (merge_length (leaves A)); lia|now rewrite E|].
    exact C.
  - destruct (held_64 _); [exact C|easy].
Qed.

(* ---- complement ---- *)

(* Where each mode ends is below 2^63. *)
Definition ends_below_64 (l : list (N * N)) : bool := forallb (fun m => below_64 (fst m * snd m)) l.

Lemma ends_below_64_cons s d l :
  ends_below_64 ((s, d) :: l) = true <-> below_64 (s * d) = true /\ ends_below_64 l = true.
Proof. unfold ends_below_64. cbn [forallb fst snd]. apply andb_true_iff. Qed.
Lemma ends_marked s d w l : ends_below_64 (strides ((s, (d, w)) :: l)) = true <->
  below_64 (s * d) = true /\ ends_below_64 (strides l) = true.
Proof. apply ends_below_64_cons. Qed.
Lemma overlap_64_spec l : ends_below_64 (strides l) = true -> overlap_64 l = Yes (negb (nested (strides l))).
Proof.
  induction l as [|[s [d w]] l IH]; intros E; [easy|]. apply ends_marked in E as [B E].
  cbn [overlap_64 strides map fst snd nested]. destruct l as [|[t [e v]] l]; [easy|]. unfold times_64. rewrite B.
  cbn [and_then stride_of fst snd map]. specialize (IH E). cbn [strides map fst snd] in IH.
  destruct (N.ltb_spec e (s * d)), (N.leb_spec (s * d) e); try lia; [easy|exact IH].
Qed.
Lemma overlap_64_true l : overlap_64 l = Yes true -> nested (strides l) = false.
Proof.
  induction l as [|[s [d w]] l IH]; [discriminate|]. cbn [overlap_64 strides map fst snd nested].
  destruct l as [|[t [e v]] l]; [discriminate|]. unfold times_64. destruct (below_64 (s * d)); [|discriminate].
  cbn [and_then stride_of fst snd map]. destruct (N.ltb_spec e (s * d)), (N.leb_spec (s * d) e); try lia.
  intros E. specialize (IH E). cbn [strides map fst snd] in IH. now rewrite IH.
Qed.
Lemma overlap_64_ends l t : overlap_64 l = Yes false -> top_64 l = Yes t -> ends_below_64 (strides l) = true.
Proof.
  induction l as [|[s [d w]] l IH]; intros E T; [easy|]. apply ends_marked.
  destruct l as [|[u [e v]] l].
  - unfold top_64, times_64 in T. cbn in T. now destruct (below_64 (s * d)).
  - cbn [overlap_64] in E. unfold times_64 in E. destruct (below_64 (s * d)); [|discriminate]. cbn [and_then] in E.
    destruct (_ <? _); [discriminate|]. split; [easy|]. apply IH; [exact E|]. clear - T. unfold top_64 in *.
    cbn [rev] in *.
    destruct (rev l ++ [(u, (e, v))]) as [|x k] eqn:K; [now destruct (rev l)|]. exact T.
Qed.
Lemma overlap_64_answers l : overlap_64 l = Beyond \/ exists b, overlap_64 l = Yes b.
Proof.
  induction l as [|[s [d w]] l IH]; cbn [overlap_64]; [eauto|]. destruct l as [|m l]; [eauto|]. unfold times_64.
  destruct (below_64 (s * d)); [|now left]. cbn [and_then]. destruct (_ <? _); eauto.
Qed.
Lemma top_64_spec l : ends_below_64 (strides l) = true -> top_64 l = Yes (top_from 1 (strides l)).
Proof.
  intros E. induction l as [|[s [d w]] l IH] using rev_ind; [easy|]. unfold top_64. rewrite rev_app_distr.
  cbn [rev app].
  unfold strides in *. rewrite map_app in *. unfold ends_below_64 in E. rewrite forallb_app in E.
  apply andb_true_iff in E as [_ E]. change (below_64 (s * d) && true = true) in E. rewrite andb_true_r in E.
  unfold times_64. rewrite E. f_equal.
  generalize 1 as e. generalize (map (fun m : N * (N * N) => (fst m, fst (snd m))) l) as k.
  induction k as [|[t f] k IHk]; intros e; [easy|]. cbn [app top_from]. apply IHk.
Qed.
Lemma top_64_answers l : top_64 l = Beyond \/ exists t, top_64 l = Yes t.
Proof. unfold top_64, times_64. destruct (rev l) as [|[s [d w]] k]; [eauto|]. destruct (below_64 _); eauto. Qed.

Lemma fill_64_gaps factor filled l m : ends_below_64 (strides l) = true ->
  fill_64 factor filled l m = push_all m (gaps (fun _ => factor) filled (strides l)).
Proof.
  revert filled m. induction l as [|[s [d w]] l IH]; intros filled m E.
  - cbn. now destruct (push_64 m factor filled).
  - apply ends_marked in E as [B E]. cbn [fill_64 strides map fst snd gaps push_all].
    destruct (push_64 m (d / filled) filled); try easy. cbn [and_then]. unfold times_64. rewrite B. now apply IH.
Qed.
Lemma gaps_at_end rest e l : gaps rest e l = gaps (fun _ => rest (top_from e l)) e l.
Proof. revert e. induction l as [|[s d] l IH]; intros e; [easy|]. cbn [gaps top_from]. now rewrite IH. Qed.

Lemma ceil_below a b : 0 < b -> ceil a b <= a.
Proof. intros P. apply ceil_least; [easy|]. nia. Qed.

Lemma gaps_below_64 factor e l : ends_below_64 l = true -> all_move l -> below_64 factor = true -> 0 < e ->
  forallb (fun m => below_64 (fst m)) (gaps (fun _ => factor) e l) = true.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e E M F P; [cbn; now rewrite F|].
  apply ends_below_64_cons in E as [B E]. apply all_move_cons in M as (Hs & Hd & M). cbn [gaps forallb fst].
  rewrite IH by (easy || nia). rewrite (below_64_le (d / e) (s * d)); [easy| |easy].
  apply N.div_le_upper_bound; [lia|]. assert (1 <= e * s) by nia. nia.
Qed.
Lemma top_from_positive e l : 0 < e -> all_move l -> 0 < top_from e l.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e P M; [easy|]. apply all_move_cons in M as (Hs & Hd & M).
  cbn [top_from].
  apply IH; [nia|easy].
Qed.

Lemma held_unwrapped (l : list (N * N)) : held_64 (leaves (unwrapped l)) = held_64 l.
Proof. rewrite leaves_unwrapped. now destruct l. Qed.

(* What the definition gives, as far as it is held. *)
Definition if_held (o : option (layout N)) : outcome (layout N) :=
  match o with Some R => if held_64 (leaves R) then Yes R else Beyond | None => No end.

(* Behind the sorted modes: what is left to compute, where they end in 64 bits. *)
Lemma complement_64_filled A M : 0 < M -> shaped A = true -> ends_below_64 (sorted_leaves (coalesce A)) = true ->
  below_64 M = true -> nested (sorted_leaves (coalesce A)) = true ->
  let l := weighted_sorted (coalesce A) in
  t <~ top_64 l; m <~ fill_64 (ceil_div_64 M t) 1 l []; Yes (unwrapped (rev m)) =
  if_held (complement A M).
Proof.
  intros HM S E B Nt l. unfold if_held. assert (C : complement A M = complement (coalesce A) M).
  { symmetry. now apply complement_merged. }
  rewrite C. unfold complement, complement_by. rewrite Nt. pose proof (all_move_sorted (coalesce A)) as Mv.
  rewrite <- strides_sorted in *. fold l in E, Nt, Mv |- *. rewrite top_64_spec by easy. cbn [and_then].
  pose proof (top_from_positive 1 _ ltac:(lia) Mv) as T. rewrite fill_64_gaps by easy.
  rewrite ceil_div_64_up by exact T.
  rewrite (gaps_at_end (ceil M)). set (g := gaps _ 1 _).
  assert (P : positive g = true).
  { apply gaps_positive; [|lia|now apply nested_ordered|easy]. intros e _. now apply ceil_positive. }
  assert (F : forallb (fun m => below_64 (fst m)) g = true).
  { apply gaps_below_64; [easy|easy| |lia]. now apply (below_64_le _ M), B; apply ceil_below. }
  pose proof (merge_64_merges g P F) as K. unfold merge_64 in K.
  destruct (push_all [] g) as [m| | |] eqn:Q; cbn [and_then] in *.
  - destruct (held_64 (merge g)) eqn:Hd; [|discriminate]. injection K as ->. now rewrite held_unwrapped, Hd.
  - now destruct (held_64 _).
  - now destruct (held_64 _).
  - rewrite held_unwrapped. now destruct (held_64 (merge g)).
Qed.

(* Whatever gpu/ answers is the complement, and where it says that there is none there is none. *)
Theorem complement_64_sound A M : 0 < M -> shaped A = true -> held_64 (leaves A) = true -> below_64 M = true ->
  ended (complement_64 A M) (fun R => complement A M = Some R) (complement A M = None) False.
Proof.
  intros HM S K B. unfold complement_64. destruct (N.ltb_spec M 1); [lia|]. rewrite sorted_modes_64_exact by easy.
  destruct (below_64 (size A)); [|easy]. cbn [and_then]. set (l := weighted_sorted (coalesce A)).
  assert (C : complement A M = complement (coalesce A) M) by (symmetry; now apply complement_merged).
  destruct (overlap_64_answers l) as [E|[b E]]; rewrite E; [easy|]. cbn [and_then]. destruct b.
  - apply overlap_64_true in E. unfold l in E. rewrite strides_sorted in E. rewrite C. unfold complement, complement_by.
    now rewrite E.
  - destruct (top_64_answers l) as [T|[t T]]; [now rewrite T|].
    pose proof (overlap_64_ends l t E T) as F. pose proof (overlap_64_spec l F) as E'. rewrite E in E'.
    injection E' as E'. symmetry in E'. apply negb_false_iff in E'. unfold l in F, E'. rewrite strides_sorted in F, E'.
    pose proof (complement_64_filled A M HM S F B E') as G. cbv zeta in G. fold l in G. rewrite G.
    unfold if_held.
    destruct (complement A M) as [R|]; [|easy]. now destruct (held_64 (leaves R)).
Qed.
(* And wherever the elements, the ends of the modes and the answer have 64 bits and 32 leaves, it answers. *)
Theorem complement_64_complete A M : 0 < M -> shaped A = true -> held_64 (leaves A) = true -> below_64 M = true ->
  below_64 (size A) = true -> ends_below_64 (sorted_leaves (coalesce A)) = true -> complement_64 A M = if_held
    (complement A M).
Proof.
  intros HM S K B Bs E. unfold complement_64. destruct (N.ltb_spec M 1); [lia|].
  rewrite sorted_modes_64_exact, Bs by easy.
  cbn [and_then]. rewrite overlap_64_spec by now rewrite strides_sorted. rewrite strides_sorted. cbn [and_then].
  destruct (nested (sorted_leaves (coalesce A))) eqn:Nt; cbn [negb].
  - now apply complement_64_filled.
  - unfold if_held, complement. rewrite <- complement_merged by easy. unfold complement_by. now rewrite Nt.
Qed.
