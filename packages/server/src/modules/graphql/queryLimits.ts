import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from "graphql";
import { cursorToOffset } from "graphql-relay";
import {
  addLiteral,
  addSize,
  checkSize,
  emptyInput,
  type Input,
  type InputLimits,
  type InputSize,
  sizeOfValue,
  tooComplex,
} from "./inputSize.ts";

export interface QueryLimits {
  /** Levels of selections. */
  maxDepth: number;
  maxCost: number;
  /** Objects on a page of which the operation does not say the size. */
  defaultLimit: number;
  maxLimit: number | undefined;
}

/** Fields and fragments of a document, with those in fragments as often as they are used. */
const MAX_FIELDS = 5_000;
/** Aliases of one operation, at any level. */
const MAX_ALIASES = 500;
/** Fields at the root, such as mutations. */
const MAX_ROOT_FIELDS = 100;
/** Fragments of a document, each of which may contain the next one. */
const MAX_FRAGMENTS = 500;
/** Levels of the values in a document, as in JSON. */
const MAX_VALUE_DEPTH = 200;
/**
 * Comparisons of fields with the same name in the result, which have to be the same field. Validation compares each with
 * each: those with selections take ten times as long as others.
 */
const MAX_COMPARISONS = 100_000;
const SELECTION_COMPARISONS = 10;

const LEAF_COST = 1;
/** A field with a selection may read an object. */
const OBJECT_COST = 2;
/** A connection is a query of its own. */
const CONNECTION_COST = 20;

/** The input of one operation. */
interface OperationInput extends Input {
  /** The default values of its variables. */
  defaults: Map<string, InputSize>;
}

/** The input of the operations of a document. */
export type Inputs = ReadonlyMap<OperationDefinitionNode, OperationInput>;

/** Selections that become one in the result. */
interface MergedSelection {
  sets: SelectionSetNode[];
  /** Level of its fields. */
  depth: number;
}

/**
 * Measures a document with its fragments expanded, before it is validated, because that takes long for large ones. Throws
 * GraphQLError if it is too large; otherwise returns the input of its operations.
 */
export function measureDocument(document: DocumentNode, { maxDepth }: QueryLimits): Inputs {
  const fragments = fragmentsOf(document);
  if (fragments.size > MAX_FRAGMENTS)
    throw tooComplex(`The document has more than ${MAX_FRAGMENTS} fragments.`);
  const usedFragments = new Set<string>();
  const ownInputs = new Map<FieldNode | DirectiveNode, Input>();
  let fields = 0;
  let comparisons = 0;

  const countSelection = (): void => {
    fields += 1;
    if (fields > MAX_FIELDS) throw tooComplex(`The document has more than ${MAX_FIELDS} fields.`);
  };
  const compare = (count: number): void => {
    comparisons += count;
    if (comparisons > MAX_COMPARISONS)
      throw tooComplex("The document selects too many fields with the same name, or too many fragments.");
  };
  const addInput = (total: Input, node: FieldNode | DirectiveNode): void => {
    if (!node.arguments?.length) return;
    let own = ownInputs.get(node);
    if (!own) {
      own = emptyInput();
      for (const { value } of node.arguments) addLiteral(own, value, MAX_VALUE_DEPTH);
      ownInputs.set(node, own);
    }
    addSize(total.literals, own.literals, 1);
    for (const [name, uses] of own.uses) total.uses.set(name, (total.uses.get(name) ?? 0) + uses);
  };

  const ofOperation = (operation: OperationDefinitionNode): OperationInput => {
    const input = { ...emptyInput(), defaults: new Map<string, InputSize>() };
    for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
      if (!defaultValue) continue;
      const ofDefault = emptyInput();
      addLiteral(ofDefault, defaultValue, MAX_VALUE_DEPTH);
      input.defaults.set(variable.name.value, ofDefault.literals);
    }
    let aliases = 0;
    /** Fields by their name in the result, and the number of fragments. */
    const collect = (
      { selections }: SelectionSetNode,
      byName: Map<string, FieldNode[]>,
      openFragments: readonly string[],
    ): number => {
      let spreads = 0;
      for (const node of selections) {
        countSelection();
        for (const directive of node.directives ?? []) addInput(input, directive);
        if (node.kind === Kind.FIELD) {
          if (node.alias) aliases += 1;
          addInput(input, node);
          const name = (node.alias ?? node.name).value;
          const same = byName.get(name);
          if (same) same.push(node);
          else byName.set(name, [node]);
        } else if (node.kind === Kind.INLINE_FRAGMENT)
          spreads += collect(node.selectionSet, byName, openFragments);
        else {
          const name = node.name.value;
          const fragment = fragments.get(name);
          spreads += 1;
          usedFragments.add(name);
          // Validation refuses fragments that contain themselves.
          if (fragment && !openFragments.includes(name))
            spreads += collect(fragment.selectionSet, byName, [...openFragments, name]);
        }
      }
      return spreads;
    };
    const open: MergedSelection[] = [{ sets: [operation.selectionSet], depth: 1 }];
    for (let merged = open.pop(); merged; merged = open.pop()) {
      const { sets, depth } = merged;
      const byName = new Map<string, FieldNode[]>();
      let spreads = 0;
      for (const set of sets) spreads += collect(set, byName, []);
      let count = 0;
      for (const same of byName.values()) {
        count += same.length;
        const inner = same.flatMap(({ selectionSet }) => selectionSet ?? []);
        const pairs = (same.length * (same.length - 1)) / 2;
        compare(inner.length > 0 ? pairs * SELECTION_COMPARISONS : pairs);
        if (inner.length > 0) open.push({ sets: inner, depth: depth + 1 });
      }
      compare(spreads * (spreads + count));
      if (count > 0 && depth > maxDepth) throw tooComplex(`The operation is deeper than ${maxDepth} levels.`);
      if (depth === 1 && count > MAX_ROOT_FIELDS)
        throw tooComplex(`The operation has more than ${MAX_ROOT_FIELDS} fields at its root.`);
      if (aliases > MAX_ALIASES) throw tooComplex(`The operation has more than ${MAX_ALIASES} aliases.`);
    }
    return input;
  };

  const inputs = new Map<OperationDefinitionNode, OperationInput>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION) inputs.set(definition, ofOperation(definition));
  // They have not been measured.
  for (const [name, node] of fragments)
    if (!usedFragments.has(name))
      throw new GraphQLError(`Fragment "${name}" is never used.`, { nodes: node });
  return inputs;
}

/** The sizes of the variables of an operation. */
export function sizesOfVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Map<string, InputSize> {
  const sizes = new Map<string, InputSize>();
  for (const { variable } of variableDefinitions) {
    const name = variable.name.value;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) sizes.set(name, sizeOfValue(value));
  }
  return sizes;
}

/**
 * Refuses an operation whose input would be larger than a body if each use of a variable had a value of its own. Returns
 * the error.
 */
export function checkInput(
  inputs: Inputs,
  operation: OperationDefinitionNode,
  sizes: ReadonlyMap<string, InputSize>,
  limits: InputLimits,
): GraphQLError | undefined {
  const input = inputs.get(operation);
  if (!input) return undefined;
  const total = { ...input.literals };
  for (const [name, uses] of input.uses) {
    const size = sizes.get(name) ?? input.defaults.get(name);
    if (size) addSize(total, size, uses);
  }
  return checkSize(total, limits);
}

/** What an operation reads, in units of values. */
export interface OperationCost {
  /** Of the whole operation, if each of its lists had one element. */
  readonly total: number;
  /** Of one element of a list. */
  ofElement(fields: readonly FieldNode[], type: GraphQLNamedType): number;
}

/** Measures what an operation reads: pages count as large as they may be. */
export function measureCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  { defaultLimit, maxLimit }: QueryLimits,
): OperationCost {
  const fragments = fragmentsOf(document);
  const open = new Set<string>();

  const givenValue = (node: ValueNode): unknown => {
    if (node.kind !== Kind.VARIABLE) return valueFromASTUntyped(node);
    const name = node.name.value;
    if (Object.hasOwn(variables, name) && variables[name] !== undefined) return variables[name];
    const defined = operation.variableDefinitions?.find(({ variable }) => variable.name.value === name);
    return defined?.defaultValue && valueFromASTUntyped(defined.defaultValue);
  };
  const pageSize = ({ arguments: args = [] }: FieldNode): number => {
    const argument = (name: string): unknown => {
      const found = args.find((each) => each.name.value === name);
      return found && givenValue(found.value);
    };
    const sizes = ["first", "last"]
      .map((name) => Number(argument(name) ?? Number.NaN))
      .filter((size) => size >= 0);
    const before = argument("before");
    // Without a size, the page has all objects before the cursor.
    if (sizes.length === 0 && typeof before === "string" && before !== "") {
      const offset = cursorToOffset(before);
      if (offset >= 0) sizes.push(offset);
    }
    const size = sizes.length > 0 ? Math.min(...sizes) : defaultLimit;
    return Math.min(size, maxLimit ?? Number.POSITIVE_INFINITY);
  };
  const ofSelection = (
    { selections }: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    edges: number,
  ): number => {
    let cost = 0;
    for (const node of selections) {
      if (node.kind === Kind.FIELD) cost += ofField(node, parent, edges);
      else if (node.kind === Kind.INLINE_FRAGMENT) {
        const type = node.typeCondition ? schema.getType(node.typeCondition.name.value) : parent;
        cost += ofSelection(node.selectionSet, type, edges);
      } else cost += ofFragment(node.name.value, edges);
    }
    return cost;
  };
  const ofFragment = (name: string, edges: number): number => {
    const fragment = fragments.get(name);
    if (!fragment || open.has(name)) return 0;
    open.add(name);
    const cost = ofSelection(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), edges);
    open.delete(name);
    return cost;
  };
  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined, edges: number): number => {
    if (!node.selectionSet) return LEAF_COST;
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    const type = field && getNamedType(field.type);
    if (type?.name.endsWith("Connection"))
      return CONNECTION_COST + ofSelection(node.selectionSet, type, pageSize(node));
    const cost = OBJECT_COST + ofSelection(node.selectionSet, type, 1);
    return parent?.name.endsWith("Connection") && node.name.value === "edges" ? cost * edges : cost;
  };

  const byField = new Map<FieldNode, number>();
  const root = schema.getRootType(operation.operation) ?? undefined;
  return {
    total: ofSelection(operation.selectionSet, root, 1),
    ofElement(fields, type) {
      let cost = LEAF_COST;
      for (const node of fields) {
        const known = byField.get(node);
        const own = known ?? (node.selectionSet ? ofSelection(node.selectionSet, type, 1) : 0);
        if (known === undefined) byField.set(node, own);
        cost += own;
      }
      return cost;
    },
  };
}

/** The error of an operation that costs more than it may. */
export function tooExpensive(cost: number, maxCost: number): GraphQLError {
  return tooComplex(
    `The operation costs ${Math.ceil(cost)}, more than ${maxCost}: request smaller pages or fewer fields.`,
  );
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
}
