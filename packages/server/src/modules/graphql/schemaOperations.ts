import {
  ErrorCode,
  type FieldTypeName,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
} from "@purse/protocol";
import {
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from "graphql";
import type { RequestContext } from "../../core/authContext.ts";
import { assertMaster, readOnlyKeyError } from "../../core/http/masterKeyAccess.ts";
import { execute, type GraphqlContext } from "./context.ts";
import { addMutation } from "./mutationDefinition.ts";
import type { TypeRegistry } from "./typeRegistry.ts";

const fieldName = {
  name: { description: "This is the field name.", type: new GraphQLNonNull(GraphQLString) },
};
const target = {
  targetClassName: {
    description: "This is the name of the target class for the field.",
    type: new GraphQLNonNull(GraphQLString),
  },
};

/** Members of the input by the type of the fields that they add, with the names of their types. */
const ADDITIONS = {
  addStrings: { type: "String", input: "SchemaStringFieldInput" },
  addNumbers: { type: "Number", input: "SchemaNumberFieldInput" },
  addBooleans: { type: "Boolean", input: "SchemaBooleanFieldInput" },
  addArrays: { type: "Array", input: "SchemaArrayFieldInput" },
  addObjects: { type: "Object", input: "SchemaObjectFieldInput" },
  addDates: { type: "Date", input: "SchemaDateFieldInput" },
  addFiles: { type: "File", input: "SchemaFileFieldInput" },
  addGeoPoint: { type: "GeoPoint", input: "SchemaGeoPointFieldInput" },
  addPolygons: { type: "Polygon", input: "SchemaPolygonFieldInput" },
  addBytes: { type: "Bytes", input: "SchemaBytesFieldInput" },
  addPointers: { type: "Pointer", input: "PointerFieldInput" },
  addRelations: { type: "Relation", input: "RelationFieldInput" },
} as const satisfies Record<string, { type: FieldTypeName; input: string }>;

const hasTarget = (type: string) => type === "Pointer" || type === "Relation";

function createSchemaTypes() {
  const field = new GraphQLInterfaceType({
    name: "SchemaField",
    description: "A field of a class.",
    fields: fieldName,
    resolveType: ({ type }: { type: FieldTypeName }) => `Schema${type}Field`,
  });
  const types = [...Object.values(ADDITIONS).map(({ type }) => type), "ACL"].map(
    (type) =>
      new GraphQLObjectType({
        name: `Schema${type}Field`,
        description: `A field of type ${type}.`,
        interfaces: [field],
        fields: { ...fieldName, ...(hasTarget(type) && target) },
      }),
  );
  const removal = new GraphQLInputObjectType({
    name: "SchemaFieldInput",
    description: "A field to remove.",
    fields: fieldName,
  });
  const inputs = Object.fromEntries(
    Object.entries(ADDITIONS).map(([name, { type, input }]) => {
      const inputType = new GraphQLInputObjectType({
        name: input,
        description: `A new field of type ${type}.`,
        fields: { ...fieldName, ...(hasTarget(type) && target) },
      });
      return [
        name,
        {
          description: `Adds fields of type ${type}.`,
          type: name === "addGeoPoint" ? inputType : new GraphQLList(new GraphQLNonNull(inputType)),
        },
      ];
    }),
  );
  const fieldsInput = new GraphQLInputObjectType({
    name: "SchemaFieldsInput",
    description: "Changes of the fields of a class.",
    fields: {
      ...inputs,
      remove: { description: "Removes fields.", type: new GraphQLList(new GraphQLNonNull(removal)) },
    },
  });
  const classType = new GraphQLObjectType({
    name: "Class",
    description: "The Class type is used to return the information about an object class.",
    fields: {
      name: { description: "This is the name of the object class.", type: new GraphQLNonNull(GraphQLString) },
      schemaFields: {
        description: "These are the schema's fields of the object class.",
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(field))),
      },
    },
  });
  return { types: [field, ...types], fieldsInput, classType };
}

interface ClassInput {
  name: string;
  schemaFields?: SchemaFields | null;
}

type SchemaFields = Record<string, JsonValue>;

/** Adds the queries and mutations of the schemas of classes, which require the master key. */
export function addSchemaOperations(registry: TypeRegistry): void {
  const { types, fieldsInput, classType } = createSchemaTypes();
  registry.add(...types, fieldsInput, classType);
  const name = {
    description: "This is the name of the object class.",
    type: new GraphQLNonNull(GraphQLString),
  };
  const output = {
    class: { description: "The class.", type: new GraphQLNonNull(classType) },
  };
  const input = { name, schemaFields: { description: "Its fields.", type: fieldsInput } };

  registry.queries.class = {
    description: "The class query can be used to retrieve an existing object class.",
    args: { name },
    type: new GraphQLNonNull(classType),
    resolve: async (_source, args: { name: string }, context) => toClass(await readClass(context, args.name)),
  };
  registry.queries.classes = {
    description: "The classes query can be used to retrieve the existing object classes.",
    type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(classType))),
    async resolve(_source, _args, context) {
      assertMasterKey(context.requestContext);
      return listOf((await execute(context, "GET", "/schemas", {})).results).map(toClass);
    },
  };
  addMutation<ClassInput>(registry, "createClass", {
    typeName: "CreateClass",
    description: "The createClass mutation can be used to create the schema for a new object class.",
    input,
    output,
    async run({ name: className, schemaFields }, context) {
      assertMasterKey(context.requestContext, "create");
      const fields = toFieldChanges(schemaFields ?? {}, {});
      return { class: toClass(await execute(context, "POST", pathOf(className), { fields })) };
    },
  });
  addMutation<ClassInput>(registry, "updateClass", {
    typeName: "UpdateClass",
    description: "The updateClass mutation can be used to update the schema for an existing object class.",
    input,
    output,
    async run({ name: className, schemaFields }, context) {
      assertMasterKey(context.requestContext, "update");
      const { fields: existing } = await readClass(context, className);
      const fields = toFieldChanges(schemaFields ?? {}, isJsonObject(existing) ? existing : {});
      return { class: toClass(await execute(context, "PUT", pathOf(className), { fields })) };
    },
  });
  addMutation<ClassInput>(registry, "deleteClass", {
    typeName: "DeleteClass",
    description: "The deleteClass mutation can be used to delete an existing object class.",
    input: { name },
    output,
    async run({ name: className }, context) {
      assertMasterKey(context.requestContext, "delete");
      const existing = await readClass(context, className);
      await execute(context, "DELETE", pathOf(className), {});
      return { class: toClass(existing) };
    },
  });
}

function assertMasterKey(request: RequestContext, action?: string): void {
  assertMaster(request);
  if (action !== undefined && request.auth.kind === "master" && request.auth.readOnly) {
    throw readOnlyKeyError(`${action} a schema`);
  }
}

async function readClass(context: GraphqlContext, className: string): Promise<JsonObject> {
  assertMasterKey(context.requestContext);
  return execute(context, "GET", pathOf(className), {});
}

function pathOf(className: string): string {
  return `/schemas/${encodeURIComponent(className)}`;
}

function toClass({ className = "", fields }: JsonObject): object {
  const schemaFields = Object.entries(isJsonObject(fields) ? fields : {}).flatMap(([name, field]) =>
    isJsonObject(field) ? [{ name, type: field.type, targetClassName: field.targetClass }] : [],
  );
  return { name: className, schemaFields };
}

/** Translates the members of the input into changes of a schema. Throws 105 for fields that exist. */
function toFieldChanges(input: SchemaFields, existing: JsonObject): JsonObject {
  const changes: JsonObject = {};
  const removed = namesIn(input.remove);
  for (const [member, { type }] of Object.entries(ADDITIONS)) {
    for (const field of listOf(input[member])) {
      const name = String(field.name);
      if (removed.includes(name)) continue;
      if (Object.hasOwn(changes, name) || Object.hasOwn(existing, name))
        throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, `Duplicated field name: ${name}`);
      changes[name] = { type, ...(hasTarget(type) && { targetClass: field.targetClassName ?? null }) };
    }
  }
  for (const name of removed) if (Object.hasOwn(existing, name)) changes[name] = { __op: "Delete" };
  return changes;
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).filter(isJsonObject);
}

function namesIn(value: JsonValue | undefined): string[] {
  return listOf(value).map(({ name }) => String(name));
}
