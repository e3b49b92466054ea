/** The operations by their Parse names: `new Op.Increment(1)`. */
export {
  AddOp as Add,
  AddUniqueOp as AddUnique,
  IncrementOp as Increment,
  type Op as Operation,
  RelationOp as Relation,
  RemoveOp as Remove,
  SetOp as Set,
  UnsetOp as Unset,
} from "./Op.ts";
