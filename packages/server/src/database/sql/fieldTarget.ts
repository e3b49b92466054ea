import { type FieldTypeName, type Operand, ownValue } from "@purse/protocol";
import type { ClassSchema } from "../classSchema.ts";
import { type TraversalList, type TraversalSteps, traversalStepsOf } from "./arrayTraversal.ts";
import { columnOf, typedColumnOf } from "./columns.ts";
import type { Dialect, OperandType, ValueExpression } from "./dialect.ts";
import { joinBalanced } from "./joinBalanced.ts";
import { isArrayOperand, isContainable } from "./operands.ts";

/** The declared types of fields whose values an operand may equal by its text in a document. */
const FIELD_TYPES: Partial<Record<OperandType, FieldTypeName>> = {
  string: "String",
  number: "Number",
  boolean: "Boolean",
  pointer: "Pointer",
};

/** What a condition tests: a column, a field or the values at a path of nested keys, as SQL. */
export class FieldTarget {
  readonly path: readonly [string, ...string[]];
  /** The type that the schema declares; undefined for nested keys. */
  readonly type: FieldTypeName | undefined;
  /** The value; for a path through arrays, the value at the path without traversing them. */
  readonly expression: ValueExpression;
  /** The steps of a path that may run through arrays. */
  readonly steps: TraversalSteps | undefined;
  readonly #isColumn: boolean;
  readonly #isIndexed: boolean;
  readonly #dialect: Dialect;

  constructor(path: readonly [string, ...string[]], schema: ClassSchema, dialect: Dialect) {
    const [field] = path;
    const column = columnOf(path);
    const declared = ownValue(schema.fields, field);
    const own = path.length === 1 ? declared : undefined;
    this.path = path;
    this.type = own?.type;
    this.expression = column
      ? dialect.column(column)
      : dialect.field(path, own, typedColumnOf(path, schema, dialect));
    this.steps = traversalStepsOf(path, declared?.type);
    this.#isColumn = column !== undefined;
    this.#isIndexed = Object.values(schema.indexes).some((keys) => Object.hasOwn(keys, field));
    this.#dialect = dialect;
  }

  get exists(): string {
    if (!this.steps) return this.expression.exists;
    return `EXISTS (SELECT 1 FROM ${this.#dialect.traverse(this.steps, "values")})`;
  }

  /**
   * Whether the value is null, missing, or an array with null, or the path leads through arrays to nothing or to such a
   * value.
   */
  get isNull(): string {
    const { item } = this.#dialect;
    if (!this.steps) {
      const mayBeArray = !this.#isColumn && (this.type === undefined || this.type === "Array");
      const { isNull } = this.expression;
      return mayBeArray ? `(${isNull} OR ${this.#dialect.anyItem(this.path, item.isNull)})` : isNull;
    }
    const values = this.#dialect.traverse(this.steps, "nullable");
    return `(coalesce((SELECT max(CASE WHEN ${item.isNull} THEN 1 ELSE 0 END) FROM ${values}), 1) = 1)`;
  }

  /** Whether the value is an array, or the path runs through one. */
  get isList(): string {
    const { steps } = this;
    if (!steps) return this.expression.isArray;
    const arrays = steps.map((_, position) => {
      const path = steps.slice(0, position + 1).flat();
      return this.#dialect.field(path, undefined, undefined).isArray;
    });
    return joinBalanced(arrays, " OR ");
  }

  /** Tests the value, or each item if the value is an array. Values inside of objects have no declared type. */
  anyItem(test: (expression: ValueExpression) => string): string {
    const { path, steps, type } = this;
    const { item } = this.#dialect;
    if (steps) return this.#anyTraversed(steps, "items", test(item));
    if (type === "Array") return this.#dialect.anyItem(path, test(item));
    return path.length > 1 ? this.#dialect.anyItemOrValue(path, test(item)) : test(this.expression);
  }

  /** Tests the items of a value that `isList` tests. */
  anyListItem(test: string): string {
    return this.steps
      ? this.#anyTraversed(this.steps, "items", test)
      : this.#dialect.anyItem(this.path, test);
  }

  /** Like `anyListItem`, for all items. */
  everyListItem(test: string): string {
    return this.steps
      ? `NOT ${this.#anyTraversed(this.steps, "items", `(${test}) IS NOT TRUE`)}`
      : this.#dialect.everyItem(this.path, test);
  }

  /** Whether an item equals the operand. */
  listContains(type: OperandType): string {
    const fast = this.steps ? undefined : this.#dialect.arrayContains(this.path, type);
    return fast ?? this.anyListItem(this.#dialect.item.equals(type));
  }

  /** Whether the items contain all of some texts and numbers, with the parameters of `arrayContainsAllParameters`. */
  listContainsAll(): string {
    return this.steps
      ? this.#dialect.rowsContainAll(this.#dialect.traverse(this.steps, "items"))
      : this.#dialect.arrayContainsAll(this.path);
  }

  /** Tests equality; an array also equals a value that one of its items equals. */
  equals(operand: Operand): string {
    const { type, expression, path, steps } = this;
    if (operand.type === "null") return this.isNull;
    if (steps) {
      const list = isArrayOperand(operand) ? "values" : "items";
      return this.#anyTraversed(steps, list, this.#dialect.item.equals(operand.type));
    }
    if (type === "Array" && !isArrayOperand(operand)) return this.listContains(operand.type);
    // Values inside of objects have no declared type and may be arrays.
    if (!this.#isColumn && type === undefined && isContainable(operand)) {
      return this.#dialect.equalsOrContains(path, operand.type);
    }
    return isArrayOperand(operand)
      ? expression.equals(operand.type)
      : this.anyItem((candidate) => candidate.equals(operand.type));
  }

  /**
   * A cheap test that every document passes whose value equals the operand, to be made before `equals`. Undefined if there
   * is none, and for indexed fields, whose other values are not read at all.
   */
  mayEqual(operand: Operand): ReturnType<Dialect["mayHave"]> {
    const { type } = this;
    if (type === undefined || type !== FIELD_TYPES[operand.type]) return undefined;
    return this.#isColumn || this.#isIndexed ? undefined : this.#dialect.mayHave(this.path[0], operand);
  }

  #anyTraversed(steps: TraversalSteps, list: TraversalList, test: string): string {
    return `EXISTS (SELECT 1 FROM ${this.#dialect.traverse(steps, list)} WHERE ${test})`;
  }
}
