(* left_inverse as gpu/algebra/inverse.hpp has it, but for its search. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Inverse_64 Composition_64.
Local Open Scope N_scope.

(* quotients: by increasing stride a mode of extent d / (stride before), the last as long as it is;
   nothing where a stride is
   not a multiple of the one before. *)
Fixpoint quotients_64 (done weight last : N) (l : weighted_modes) (m : list (N * N)) : outcome (option (list (N * N)))
  :=
  match l with
  | [] => n <~ push_64 m last weight; Yes (Some n)
  | (s, (d, w)) :: l =>
      if d mod done =? 0 then n <~ push_64 m (d / done) weight; quotients_64 d w s l n else Yes None
  end.
(* quasi_inverts: a(l(x)) = x at the values of these indices. *)
Fixpoint quasi_inverts_64 (L A : layout N) (l : weighted_modes) (is : list N) : outcome bool :=
  match is with
  | [] => Yes true
  | i :: is =>
      x <~ total_64 below_64 (strides l) i 0; y <~ at_64 below_64 (leaves L) x 0; z <~ at_64 below_64 (leaves A) y 0;
      if z =? x then quasi_inverts_64 L A l is else Yes false
  end.
(* Modes that overlap in dividing strides: the candidate leaf by leaf, then the merged one. *)
Definition overlapping_64 (A : layout N) (l : weighted_modes) (L : layout N) : outcome (layout N) :=
  n <~ size_64 (strides l) 1;
  if 4096 <? n then Undecided else
  k <~ sort_moving (leaves A) 1 []; q <~ quotients_64 1 0 1 k [];
  b <~ match q with Some m => quasi_inverts_64 (unwrapped (rev m)) A l (iota n) | None => Yes false end;
  if b then match q with Some m => Yes (unwrapped (rev m)) | None => No end else
  c <~ quasi_inverts_64 L A l (iota n); if c then Yes L else No.
(* `search` is asked where strides do not divide; `answer` reads the closed form. *)
Definition left_inverse_64 {X} (answer : layout N -> X) (search : weighted_modes -> outcome X) (A : layout N) :
  outcome X :=
  l <~ sorted_modes_64 A;
  match l with
  | [] => Yes (answer (Leaf (size A) 0))
  | _ =>
      q <~ quotients_64 1 0 1 l [];
      match q with
      | Some m =>
          let L := unwrapped (rev m) in
          o <~ overlap_64 l; M <~ if o then overlapping_64 A l L else Yes L; Yes (answer M)
      | None => search l
      end
  end.

Lemma overlap_64_false l : overlap_64 l = Yes false -> nested (strides l) = true.
Proof.
  induction l as [|[s [d w]] l IH]; [easy|]. cbn [overlap_64 strides map fst snd nested].
  destruct l as [|[t [e v]] l]; [easy|]. unfold times_64. destruct (below_64 (s * d)); [|discriminate].
  cbn [and_then stride_of fst snd map]. destruct (N.ltb_spec e (s * d)), (N.leb_spec (s * d) e); try lia;
    [discriminate|].
  intros E. specialize (IH E). cbn [strides map fst snd] in IH. now rewrite IH.
Qed.
Lemma quotients_64_sound done weight last l m n : l <> [] -> quotients_64 done weight last l m = Yes (Some n) ->
  exists k, dividing done weight l = Some k /\ push_all m k = Yes n.
Proof.
  revert done weight last m. induction l as [|[s [d w]] l IH]; intros done weight last m Hl E; [easy|].
  cbn [quotients_64] in E. rewrite dividing_cons. destruct (d mod done =? 0); [|discriminate].
  apply and_then_yes in E as (h & Eh & E). destruct l as [|x l].
  - cbn [quotients_64 dividing bind] in *. apply and_then_yes in E as (k & Ek & E). injection E as <-. eexists.
    split; [reflexivity|]. cbn [push_all]. rewrite Eh. cbn [and_then]. now rewrite Ek.
  - apply IH in E as (k & Ek & E); [|easy]. rewrite Ek. cbn [bind]. eexists. split; [reflexivity|]. cbn [push_all].
    now rewrite Eh.
Qed.
Lemma quotients_64_complete done weight last l m k : l <> [] -> dividing done weight l = Some k ->
  quotients_64 done weight last l m = n <~ push_all m k; Yes (Some n).
Proof.
  revert done weight last m k. induction l as [|[s [d w]] l IH]; intros done weight last m k Hl E; [easy|].
  rewrite dividing_cons in E. cbn [quotients_64]. destruct (d mod done =? 0); [|discriminate].
  destruct (dividing d w l) as [x|] eqn:Ex; [|discriminate]. cbn [bind] in E. injection E as <-. cbn [push_all].
  destruct (push_64 m (d / done) weight) as [h| | |]; cbn [and_then]; try easy. destruct l as [|y l].
  - cbn [quotients_64 push_all]. now destruct (push_64 h s w).
  - now apply IH.
Qed.
Lemma dividing_positive done weight l k : all_wide l -> 0 < done -> dividing done weight l = Some k -> positive k =
  true.
Proof.
  revert done weight k. induction l as [|[s [d w]] l IH]; intros done weight k M Hd E; [injection E as <-; easy|].
  rewrite dividing_cons in E. destruct (N.eqb_spec (d mod done) 0) as [Z|]; [|discriminate].
  destruct (dividing d w l) as [x|] eqn:Ex; [|discriminate]. cbn [bind] in E. injection E as <-.
  destruct (M s d w (or_introl eq_refl)) as [Hs Pd]. apply mod_0_divides in Z as [q ->]; [|easy].
  apply positive_cons. split; [rewrite N.div_mul by lia; nia|]. destruct l; [apply positive_cons; split; [lia|easy]|].
  apply (IH (q * done) w); [|lia|easy]. intros t e v I. apply (M t e v). now right.
Qed.

Lemma dividing_below_64 done weight l k : all_wide l -> 0 < done -> ends_below_64 (strides l) = true ->
  forallb (fun m => below_64 (fst m)) l = true -> dividing done weight l = Some k ->
  forallb (fun m => below_64 (fst m)) k = true.
Proof.
  revert done weight k. induction l as [|[s [d w]] l IH]; intros done weight k M Hd E F Q; [injection Q as <-; easy|].
  rewrite dividing_cons in Q. destruct (N.eqb_spec (d mod done) 0) as [Z|]; [|discriminate].
  destruct (dividing d w l) as [x|] eqn:Ex; [|discriminate]. cbn [bind] in Q. injection Q as <-.
  destruct (M s d w (or_introl eq_refl)) as [Hs Pd]. apply ends_marked in E as [B E]. cbn [forallb fst] in *.
  apply andb_true_iff in F as [Fs F]. rewrite (below_64_le (d / done) (s * d)); [| |easy].
  - destruct l; [cbn; now rewrite Fs|]. apply (IH d w); [|lia|easy|easy|easy]. intros t e v I. apply (M t e v).
  now right.
  - apply N.div_le_upper_bound; [lia|]. assert (1 <= done * s) by nia. nia.
Qed.

Lemma quasi_inverts_64_sound L A l is : quasi_inverts_64 L A l is = Yes true ->
  forall i, In i is -> let x := value_in (strides l) i in value_at (leaves A) (value_at (leaves L) x) = x.
Proof.
  induction is as [|j is IH]; intros E i I; [easy|]. cbn [quasi_inverts_64] in E.
  apply and_then_yes in E as (x & Ex & E).
  apply and_then_yes in E as (y & Ey & E). apply and_then_yes in E as (z & Ez & E).
  destruct (N.eqb_spec z x) as [->|]; [|discriminate]. destruct I as [<-|I]; [|now apply IH].
  apply total_64_sound in Ex. apply at_64_sound in Ey, Ez. change (x = 0 + value_in (strides l) j) in Ex.
  change (y = 0 + value_at (leaves L) x) in Ey. change (x = 0 + value_at (leaves A) y) in Ez.
  rewrite N.add_0_l in *. cbv zeta. now rewrite <- Ex, <- Ey.
Qed.
Lemma ends_flat (l : list (N * N)) : l <> [] -> ends (Node (map (fun m => Leaf (fst m) (snd m)) l)) = true.
Proof.
  induction l as [|x l IH]; intros Hl; [easy|]. destruct l as [|y l]; [easy|]. cbn [map] in *. rewrite ends_cons.
  now apply IH.
Qed.
Lemma unwrapped_apply (m : list (N * N)) i : positive m = true ->
  apply (unwrapped m) i = value_at (leaves (unwrapped m)) i.
Proof.
  intros P. rewrite apply_beyond_domain by now rewrite shaped_unwrapped.
  assert (ends (unwrapped m) = true) as ->; [|easy]. destruct m as [|[s d] [|y m]]; [easy|easy|]. now apply (ends_flat).
Qed.
Lemma left_inverse_inside A L i : shaped A = true -> left_inverse A = Some L -> i < size A ->
  apply L (apply A i) < size A.
Proof.
  intros S E Hi. destruct (moving_values A i S Hi) as (j & Hj & <-). rewrite (left_inverse_back A L j S E Hj).
  apply sorted_values; [easy| |easy]. clear. induction (weighted_sorted A); now constructor.
Qed.

Lemma merge_onto_from (l : list (N * N)) s d t e : In (t, e) (merge_onto s d l) -> e = d \/ exists u, In (u, e) l /\ u
  <> 1.
Proof.
  revert s d. induction l as [|[u f] l IH]; intros s d I; cbn [merge_onto] in I.
  - destruct I as [I|[]]. injection I as _ <-. now left.
  - destruct (N.eqb_spec u 1).
    + apply IH in I as [->|(v & I & Hv)]; [now left|]. right. exists v. split; [now right|easy].
    + destruct (same _ _).
      * apply IH in I as [->|(v & I & Hv)]; [now left|]. right. exists v. split; [now right|easy].
      * destruct I as [I|I]; [injection I as _ <-; now left|]. right.
        apply IH in I as [->|(v & I & Hv)]; [exists u; split; [now left|easy]|]. exists v. split; [now right|easy].
Qed.
Lemma merge_from (l : list (N * N)) t e : In (t, e) (merge l) -> exists u, In (u, e) l /\ u <> 1.
Proof.
  induction l as [|[s d] l IH]; intros I; [easy|]. cbn [merge] in I. destruct (N.eqb_spec s 1).
  - destruct (IH I) as (u & J & Hu). exists u. split; [now right|easy].
  - apply merge_onto_from in I as [->|(u & J & Hu)]; [exists s; split; [now left|easy]|exists u; split;
    [now right|easy]].
Qed.
Lemma coalesce_broadcasts A : shaped A = true -> broadcasts A = false -> broadcasts (coalesce A) = false.
Proof.
  intros S B. apply not_true_is_false. intros K. apply existsb_exists in K as ([s d] & I & K). cbn [fst snd] in K.
  apply andb_true_iff in K as [Hs Hd]. apply N.eqb_eq in Hd as ->. unfold coalesce in I. rewrite leaves_unwrapped in I.
  assert (In (s, 0) (merge (leaves A))) as J.
  { destruct (merge (leaves A)); [|easy]. destruct I as [I|[]]. injection I as <-. discriminate. }
  apply merge_from in J as (u & J & Hu). assert (broadcasts A = true); [|congruence]. apply existsb_exists.
  exists (u, 0). split; [easy|]. cbn [fst snd]. rewrite N.eqb_refl, andb_true_r. apply N.ltb_lt.
  unfold shaped, positive in S. rewrite forallb_forall in S. specialize (S _ J). cbn in S. apply N.ltb_lt in S. lia.
Qed.

Definition quasi_inverse (A L : layout N) : Prop :=
  forall i, i < size A -> apply A (apply L (apply A i)) = apply A i.
(* Where it answers without its search, L takes each value of A to an index of that value;
   where A takes none twice, to its
   index. Where modes overlap it has been tried at every value. *)
Theorem left_inverse_64_sound A L : shaped A = true -> ends A = true -> held_64 (leaves A) = true ->
  left_inverse_64 (fun L => L) (fun _ => Undecided) A = Yes L -> quasi_inverse A L /\ (broadcasts A = false ->
  nested (sorted_leaves (coalesce A)) = true -> forall i, i < size A -> apply L (apply A i) = i).
Proof.
  unfold quasi_inverse. intros S EA K E. pose proof (shaped_coalesce A S) as SC.
  destruct (coalesce_function A S) as [Z V].
  unfold left_inverse_64 in E. rewrite sorted_modes_64_exact in E by easy.
  destruct (below_64 (size A)); [|discriminate].
  cbn [and_then] in E. set (l := weighted_sorted (coalesce A)) in *.
  assert (closed : left_inverse (coalesce A) = Some L ->
    (forall i, i < size A -> apply A (apply L (apply A i)) = apply A i) /\
    (broadcasts A = false -> nested (sorted_leaves (coalesce A)) = true -> forall i, i < size A ->
      apply L (apply A i) = i)).
  { intros Q. split.
    - intros i Hi. pose proof (left_inverse_inside (coalesce A) L i SC Q) as In_. rewrite Z, V in In_ by easy.
      rewrite <- (V i) by easy. rewrite <- (V (apply L _)) by (rewrite V by easy; now apply In_).
      apply closed_left_quasi; [easy|easy|now rewrite Z].
    - intros B _ i Hi. rewrite <- V by easy. apply closed_left_pointwise; [easy| |easy|now rewrite Z].
      now apply coalesce_broadcasts. }
  assert (tried : forall m is, positive m = true -> is = iota (numel (strides l)) ->
    quasi_inverts_64 (unwrapped m) A l is = Yes true -> forall i, i < size A ->
    apply A (apply (unwrapped m) (apply A i)) = apply A i).
  { intros m is Pm -> Q i Hi. destruct (moving_values (coalesce A) i SC) as (j & Hj & Ej); [now rewrite Z|].
    rewrite V in Ej by easy. fold l in Hj, Ej. rewrite <- Ej, unwrapped_apply by easy.
    rewrite (apply_beyond_domain A) by easy. rewrite EA. apply (quasi_inverts_64_sound _ _ _ _ Q).
    apply in_iota. now rewrite numel_strides. }
  assert (Wl : all_wide l) by apply weighted_wide.
  destruct l as [|x k] eqn:El.
  - injection E as <-. apply closed. unfold left_inverse. fold l. rewrite El. now rewrite Z.
  - rewrite <- El in *. apply and_then_yes in E as (q & Eq & E). destruct q as [m|]; [|discriminate].
    assert (Hl : l <> []) by now rewrite El.
    destruct (quotients_64_sound _ _ _ _ _ _ Hl Eq) as (d & Ed & Em).
    pose proof (dividing_positive 1 0 _ _ Wl ltac:(lia) Ed) as Pd. apply push_all_merges in Em; [|easy].
    destruct (merge_spec d Pd) as (_ & Pm & _). rewrite <- Em in Pm.
    apply and_then_yes in E as (o & Eo & E). apply and_then_yes in E as (M & E & EM). injection EM as ->. destruct o.
    + apply overlap_64_true in Eo. unfold l in Eo. rewrite strides_sorted in Eo. split; [|congruence].
      unfold overlapping_64 in E. apply and_then_yes in E as (n & En & E). apply size_64_sound in En.
      rewrite N.mul_1_l in En. destruct (4096 <? n); [discriminate|].
      apply and_then_yes in E as (y & Ey & E). apply and_then_yes in E as (q & Eq' & E).
      apply and_then_yes in E as (b & Eb & E). destruct b.
      * destruct q as [h|]; [|discriminate]. injection E as <-. apply tried with (iota n); [|now rewrite En|easy].
        assert (Wy : all_wide y).
        { rewrite sort_moving_sorts in Ey by easy. destruct (below_64 _); [|discriminate]. injection Ey as <-.
          exact (weighted_wide A). }
        destruct y as [|y0 ys]; [cbn in Eq'; injection Eq' as <-; easy|].
        destruct (quotients_64_sound 1 0 1 (y0 :: ys) [] h ltac:(easy) Eq') as (e & Ee & Eh).
        pose proof (dividing_positive 1 0 _ _ Wy ltac:(lia) Ee) as Pe. apply push_all_merges in Eh; [|easy].
        rewrite Eh. now apply merge_spec.
      * apply and_then_yes in E as (c & Ec & E). destruct c; [|discriminate]. injection E as <-.
        apply tried with (iota n); [easy|now rewrite En|easy].
    + apply closed. injection E as <-. unfold left_inverse, dividing_inverse. rewrite <- strides_sorted. fold l.
      rewrite (overlap_64_false l Eo), Ed, Em. cbn [option_map]. now rewrite El.
Qed.
(* Its closed form answers wherever the elements and the ends have 64 bits and the answer is held. *)
Theorem left_inverse_64_complete {X} (answer : layout N -> X) search A L : shaped A = true -> held_64 (leaves A) =
  true -> below_64 (size A) = true -> ends_below_64 (sorted_leaves (coalesce A)) = true -> left_inverse (coalesce A) =
  Some L -> left_inverse_64 answer search A = if held_64 (leaves L) then Yes (answer L) else Beyond.
Proof.
  intros S K B E Q. unfold left_inverse_64. rewrite sorted_modes_64_exact, B by easy. cbn [and_then].
  destruct (coalesce_function A S) as [Z _]. unfold left_inverse in Q. rewrite <- strides_sorted in *.
  set (l := weighted_sorted (coalesce A)) in *. assert (Wl : all_wide l) by apply weighted_wide.
  destruct l as [|x k] eqn:El; [injection Q as <-; rewrite Z; cbn; now rewrite B|]. rewrite <- El in *.
  destruct (nested (strides l)) eqn:Nt; [|discriminate]. unfold dividing_inverse in Q. fold l in Q.
  destruct (dividing 1 0 l) as [d|] eqn:Ed; [|discriminate]. injection Q as <-.
  rewrite (quotients_64_complete 1 0 1 l [] d) by (easy || now rewrite El).
  pose proof (dividing_positive 1 0 _ _ Wl ltac:(lia) Ed) as Pd.
  assert (Fl : forallb (fun m => below_64 (fst m)) l = true).
  { destruct (sorted_modes_small A S) as [_ Zl]. fold l in Zl. apply forallb_forall. intros [s d0] I.
    apply (below_64_le _ (size A)); [|easy]. cbn [fst]. transitivity (numel l); [|easy].
    apply extent_below with d0; [|easy]. apply weighted_sorted_positive. now apply shaped_coalesce. }
  pose proof (merge_64_merges d Pd (dividing_below_64 1 0 l d Wl ltac:(lia) E Fl Ed)) as G. unfold merge_64 in G.
  rewrite held_unwrapped, overlap_64_spec, Nt by easy. cbn [negb].
  destruct (push_all [] d) as [m| | |]; cbn [and_then] in *; destruct (held_64 (merge d)); try discriminate; try easy.
  injection G as G. now rewrite ?El, ?G.
Qed.
