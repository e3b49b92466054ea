import type { JsonObject } from "@purse/protocol";
import { GraphQLNonNull, type GraphQLResolveInfo } from "graphql";
import { graphqlNames } from "./classNames.ts";
import { execute, type GraphqlContext } from "./context.ts";
import { objectIdOf } from "./globalId.ts";
import { addMutationOfClass, withoutRemoved } from "./mutationDefinition.ts";
import { type FindArguments, findObjects, getObject } from "./readObjects.ts";
import { OBJECT } from "./scalars.ts";
import { type Selection, selectionOf } from "./selection.ts";
import type { GraphqlClass, TypeRegistry } from "./typeRegistry.ts";
import { ID_ARGUMENT } from "./valueTypes.ts";
import { READ_OPTIONS_INPUT } from "./whereInputs.ts";
import { FieldWriter, type InputFields } from "./writeFields.ts";

/** Adds the queries of a class: for one object, and for many. */
export function addClassQueries(registry: TypeRegistry, { className, config }: GraphqlClass): void {
  const types = registry.classTypes.get(className);
  const names = graphqlNames(className);
  const { get, find, getAlias, findAlias } = config?.query ?? {};
  if (get ?? true) {
    registry.addFieldOfClass("queries", getAlias || names.one, {
      description: `Returns an object of the class ${names.type} by its id.`,
      args: {
        id: ID_ARGUMENT,
        options: { description: "Accepted for clients of Parse Server.", type: READ_OPTIONS_INPUT },
      },
      type: new GraphQLNonNull(types?.output ?? OBJECT),
      resolve: (_source, { id }: { id: string }, context, info) =>
        getObject(context, className, objectIdOf(className, id), selectionOf(info), registry.fieldsOf),
    });
  }
  if (find ?? true) {
    registry.addFieldOfClass("queries", findAlias || names.many, {
      description: `Returns objects of the class ${names.type}.`,
      args: types?.findArguments ?? {},
      type: new GraphQLNonNull(types?.connection ?? OBJECT),
      resolve: (_source, args: FindArguments, context, info) =>
        findObjects(context, className, args, selectionOf(info), registry.fieldsOf),
    });
  }
}

/** Adds the mutations of a class: create, update, delete. */
export function addClassMutations(registry: TypeRegistry, { className, config }: GraphqlClass): void {
  const types = registry.classTypes.get(className);
  const { type, one } = graphqlNames(className);
  const payload = (description: string) => ({
    [one]: { description, type: new GraphQLNonNull(types?.output ?? OBJECT) },
  });
  const { create, update, destroy, createAlias, updateAlias, destroyAlias } = config?.mutation ?? {};
  if (create ?? true) {
    addMutationOfClass<{ fields?: InputFields | null }>(registry, createAlias || `create${type}`, {
      typeName: `Create${type}`,
      description: `Creates an object of the class ${type}.`,
      input: { fields: { description: "Its fields.", type: types?.createInput ?? OBJECT } },
      output: payload("This is the created object."),
      async run({ fields: input }, context, info) {
        const fields = await new FieldWriter(registry, context).toFields(className, input ?? {});
        const created = await execute(context, "POST", `/classes/${className}`, fields);
        const known = { updatedAt: created.createdAt ?? null, ...withoutRemoved(fields), ...created };
        return { [one]: await completed(context, known, String(created.objectId), info, CREATED) };
      },
    });
  }
  if (update ?? true) {
    addMutationOfClass<{ id: string; fields?: InputFields | null }>(
      registry,
      updateAlias || `update${type}`,
      {
        typeName: `Update${type}`,
        description: `Changes an object of the class ${type}.`,
        input: {
          id: ID_ARGUMENT,
          fields: { description: "The changed fields.", type: types?.updateInput ?? OBJECT },
        },
        output: payload("This is the updated object."),
        async run({ id, fields: input }, context, info) {
          const objectId = objectIdOf(className, id);
          const fields = await new FieldWriter(registry, context).toFields(className, input ?? {});
          const updated = await execute(context, "PUT", pathOf(objectId), fields);
          const known = { objectId, ...withoutRemoved(fields), ...updated };
          return { [one]: await completed(context, known, objectId, info, UPDATED) };
        },
      },
    );
  }
  if (destroy ?? true) {
    addMutationOfClass<{ id: string }>(registry, destroyAlias || `delete${type}`, {
      typeName: `Delete${type}`,
      description: `Deletes an object of the class ${type}.`,
      input: { id: ID_ARGUMENT },
      output: payload("This is the deleted object."),
      async run({ id }, context, info) {
        const objectId = objectIdOf(className, id);
        // The object is read first, as long as it exists.
        const object = await completed(context, { objectId }, objectId, info, IDENTITY);
        await execute(context, "DELETE", pathOf(objectId), {});
        return { [one]: object };
      },
    });
  }

  function pathOf(objectId: string): string {
    return `/classes/${className}/${encodeURIComponent(objectId)}`;
  }

  /** Adds what is selected of an object and not known from its write. */
  async function completed(
    context: GraphqlContext,
    known: JsonObject,
    objectId: string,
    info: GraphQLResolveInfo,
    knownFields: ReadonlySet<string>,
  ): Promise<JsonObject> {
    const selection: Selection = selectionOf(info)[one] ?? {};
    const isKnown = Object.keys(selection).every((name) => knownFields.has(name));
    if (isKnown) return known;
    return { ...known, ...(await getObject(context, className, objectId, selection, registry.fieldsOf)) };
  }
}

const IDENTITY: ReadonlySet<string> = new Set(["id", "objectId"]);
const UPDATED: ReadonlySet<string> = new Set([...IDENTITY, "updatedAt"]);
const CREATED: ReadonlySet<string> = new Set([...UPDATED, "createdAt", "authDataResponse"]);
