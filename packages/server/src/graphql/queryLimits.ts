import {
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
  type SelectionSetNode,
  valueFromASTUntyped,
} from "graphql";

export interface QueryLimits {
  /** Levels of selections. */
  maxDepth: number;
  maxCost: number;
  /** Objects on a page of which the operation does not say the size. */
  defaultLimit: number;
  maxLimit: number | undefined;
}

/** Fields of a document, with those of fragments as often as they are used. */
const MAX_FIELDS = 5_000;
/** Aliases of one operation, at any level. */
const MAX_ALIASES = 500;
/** Fields at the root, such as mutations. */
const MAX_ROOT_FIELDS = 100;
/** Fragments of a document, each of which may contain the next one. */
const MAX_FRAGMENTS = 500;

const LEAF_COST = 1;
/** A field with a selection may read an object. */
const OBJECT_COST = 2;
/** A connection is a query of its own. */
const CONNECTION_COST = 20;

interface Measure {
  depth: number;
  fields: number;
  aliases: number;
}

/** The error of an operation that takes too much. */
export function tooComplex(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "QUERY_TOO_COMPLEX" } });
}

/**
 * Refuses documents that are too large once their fragments are expanded; before they are validated, because that takes
 * long for them. Every fragment is measured once. Returns the error.
 */
export function checkStructure(document: DocumentNode, { maxDepth }: QueryLimits): GraphQLError | undefined {
  const fragments = fragmentsOf(document);
  if (fragments.size > MAX_FRAGMENTS)
    return tooComplex(`The document has more than ${MAX_FRAGMENTS} fragments.`);
  const measured = new Map<string, Measure>();

  const ofFragment = (name: string): Measure => {
    const known = measured.get(name);
    if (known) return known;
    const empty = { depth: 0, fields: 0, aliases: 0 };
    // Validation refuses fragments that contain themselves.
    measured.set(name, empty);
    const fragment = fragments.get(name);
    const measure = fragment ? ofSelection(fragment.selectionSet) : empty;
    measured.set(name, measure);
    return measure;
  };
  const ofSelection = ({ selections }: SelectionSetNode): Measure => {
    const total: Measure = { depth: 0, fields: 0, aliases: 0 };
    for (const node of selections) {
      const isField = node.kind === Kind.FIELD;
      const inner = isField
        ? ofField(node)
        : node.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(node.name.value)
          : ofSelection(node.selectionSet);
      total.depth = Math.max(total.depth, inner.depth);
      total.fields += inner.fields;
      total.aliases += inner.aliases;
    }
    return total;
  };
  const ofField = ({ alias, selectionSet }: FieldNode): Measure => {
    const inner = selectionSet ? ofSelection(selectionSet) : { depth: 0, fields: 0, aliases: 0 };
    return {
      depth: inner.depth + 1,
      fields: inner.fields + 1,
      aliases: inner.aliases + (alias ? 1 : 0),
    };
  };

  let fields = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const measure = ofSelection(definition.selectionSet);
    fields += measure.fields;
    if (measure.depth > maxDepth) return tooComplex(`The operation is deeper than ${maxDepth} levels.`);
    if (measure.aliases > MAX_ALIASES)
      return tooComplex(`The operation has more than ${MAX_ALIASES} aliases.`);
    const roots = definition.selectionSet.selections.length;
    if (roots > MAX_ROOT_FIELDS)
      return tooComplex(`The operation has more than ${MAX_ROOT_FIELDS} fields at its root.`);
  }
  if (fields > MAX_FIELDS) return tooComplex(`The document has more than ${MAX_FIELDS} fields.`);
  return undefined;
}

/** Refuses an operation that would read too much: pages count as large as they may be. Returns the error. */
export function checkCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>>,
  { maxCost, defaultLimit, maxLimit }: QueryLimits,
): GraphQLError | undefined {
  const fragments = fragmentsOf(document);
  const open = new Set<string>();

  const pageSize = ({ arguments: args = [] }: FieldNode): number => {
    const values = args
      .filter(({ name }) => name.value === "first" || name.value === "last")
      .map(({ value }) => Number(valueFromASTUntyped(value, variables) ?? Number.NaN))
      .filter((value) => value >= 0);
    return Math.min(
      values.length > 0 ? Math.min(...values) : defaultLimit,
      maxLimit ?? Number.POSITIVE_INFINITY,
    );
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

  const operation = document.definitions.find(
    (each) =>
      each.kind === Kind.OPERATION_DEFINITION && (!operationName || each.name?.value === operationName),
  );
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  const root = schema.getRootType(operation.operation) ?? undefined;
  const cost = ofSelection(operation.selectionSet, root, 1);
  if (cost <= maxCost) return undefined;
  return tooComplex(
    `The operation costs ${Math.ceil(cost)}, more than ${maxCost}: request smaller pages or fewer fields.`,
  );
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
}
