import type { FieldType } from "@purse/protocol";
import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from "graphql";

/** The selected fields by name, with what is selected of them. */
export interface Selection {
  [name: string]: Selection;
}

/** Returns what an operation selects of a field, with the fields of all fragments and aliases. */
export function selectionOf(info: GraphQLResolveInfo): Selection {
  const selection: Selection = Object.create(null);
  const add = (set: SelectionSetNode, target: Selection): void => {
    for (const node of set.selections) {
      if (getDirectiveValues(GraphQLSkipDirective, node, info.variableValues)?.if === true) continue;
      if (getDirectiveValues(GraphQLIncludeDirective, node, info.variableValues)?.if === false) continue;
      if (node.kind === Kind.FIELD) addField(node, target);
      else if (node.kind === Kind.INLINE_FRAGMENT) add(node.selectionSet, target);
      else {
        const fragment = info.fragments[node.name.value];
        if (fragment) add(fragment.selectionSet, target);
      }
    }
  };
  const addField = (node: FieldNode, target: Selection): void => {
    const name = node.name.value;
    if (name === "__typename") return;
    target[name] ??= Object.create(null) as Selection;
    if (node.selectionSet) add(node.selectionSet, target[name]);
  };
  for (const node of info.fieldNodes) if (node.selectionSet) add(node.selectionSet, selection);
  return selection;
}

/** Whether an operation selects a path of names. */
export function selects(selection: Selection | undefined, ...path: string[]): boolean {
  let current = selection;
  for (const name of path) current = current?.[name];
  return current !== undefined;
}

export type FieldsOf = (className: string) => Readonly<Record<string, FieldType>> | undefined;

/** The parameters of a query: which fields it returns, and which pointers it resolves. */
export interface ReadKeys {
  keys?: string;
  include?: string;
}

/** More keys than this are not worth their check. */
const MAX_KEYS = 100;

/** Translates a selection of an object into `keys` and `include`. Without `keys` all fields are returned. */
export function readKeys(selection: Selection, className: string, fieldsOf: FieldsOf): ReadKeys {
  const keys = new Set<string>(["objectId"]);
  const include = new Set<string>();
  let needsAll = false;
  const visit = (fields: Selection, ofClass: string, prefix: string): void => {
    const known = fieldsOf(ofClass);
    for (const [name, children] of Object.entries(fields)) {
      if (name === "id") {
        keys.add(`${prefix}objectId`);
        continue;
      }
      const path = prefix + name;
      const field = known?.[name];
      // The resolver of a custom field may read any field.
      if (!field || name === "authData") needsAll = true;
      else if (field.type === "Pointer") {
        keys.add(path);
        if (Object.keys(children).some((child) => child !== "id" && child !== "objectId")) {
          include.add(path);
          visit(children, field.targetClass ?? "", `${path}.`);
        }
      } else if (field.type === "Array") {
        keys.add(path);
        include.add(path);
        includeOfElements(children, path);
      } else keys.add(path);
    }
  };
  /** Elements may be objects of any class, whose pointers are resolved as selected. */
  const includeOfElements = (elements: Selection, path: string): void => {
    for (const [name, children] of Object.entries(elements)) {
      if (Object.keys(children).length === 0) continue;
      include.add(`${path}.${name}`);
      includeOfElements(children, `${path}.${name}`);
    }
  };
  visit(selection, className, "");
  const hasKeys = !needsAll && keys.size <= MAX_KEYS;
  return {
    ...(hasKeys && { keys: [...keys].join() }),
    ...(include.size > 0 && { include: [...include].join() }),
  };
}
