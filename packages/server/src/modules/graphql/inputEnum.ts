import { GraphQLEnumType } from "graphql";

/** An enum of input. Does not look for names that are similar to an unknown one: its names may be many, and that one long. */
export class InputEnum extends GraphQLEnumType {
  override coerceInputValue(value: unknown): unknown {
    return super.coerceInputValue(value, true);
  }
}
