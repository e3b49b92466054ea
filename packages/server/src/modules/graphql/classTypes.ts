import {
  GraphQLBoolean,
  GraphQLID,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLString,
} from "graphql";
import { connectionArgs, connectionDefinitions } from "graphql-relay";
import { type ClassFields, classFieldsOf } from "./classFields.ts";
import { graphqlNames } from "./classNames.ts";
import { inputTypeOf, whereTypeOf } from "./fieldTypes.ts";
import { InputEnum } from "./inputEnum.ts";
import { createOutputType } from "./outputType.ts";
import { OBJECT } from "./scalars.ts";
import type { GraphqlClass, TypeRegistry } from "./typeRegistry.ts";
import { ACL_INPUT, OBJECT_ID } from "./valueTypes.ts";
import { READ_OPTIONS_INPUT } from "./whereInputs.ts";

/** Adds the types of a class to the schema. */
export function addClassTypes(registry: TypeRegistry, graphqlClass: GraphqlClass): void {
  const { className, config } = graphqlClass;
  const { type } = graphqlNames(className);
  const fields = classFieldsOf(graphqlClass);
  const isCreateEnabled = config?.mutation?.create ?? true;
  const createInput = addInput(registry, graphqlClass, `Create${type}FieldsInput`, fields.create, true);
  const updateInput = addInput(registry, graphqlClass, `Update${type}FieldsInput`, fields.update, false);
  const pointerInput = registry.addOfClass(
    new GraphQLInputObjectType({
      name: `${type}PointerInput`,
      description: `Links an object of the class ${type}, or a new one.`,
      fields: () => ({
        link: { description: "The object id or the global id of an object.", type: GraphQLID },
        ...(isCreateEnabled &&
          createInput && { createAndLink: { description: "A new object.", type: createInput } }),
      }),
    }),
  );
  const relationInput = registry.addOfClass(
    new GraphQLInputObjectType({
      name: `${type}RelationInput`,
      description: `Changes the members of a relation to the class ${type}.`,
      fields: () => ({
        add: {
          description: "Adds objects by their object ids or global ids.",
          type: new GraphQLList(OBJECT_ID),
        },
        remove: {
          description: "Removes objects by their object ids or global ids.",
          type: new GraphQLList(OBJECT_ID),
        },
        ...(isCreateEnabled &&
          createInput && {
            createAndAdd: {
              description: "Adds new objects.",
              type: new GraphQLList(new GraphQLNonNull(createInput)),
            },
          }),
      }),
    }),
  );
  const whereInput = addWhere(registry, graphqlClass, type, fields);
  const relationWhere = registry.addOfClass(
    new GraphQLInputObjectType({
      name: `${type}RelationWhereInput`,
      description: `Conditions on linked objects of the class ${type}.`,
      fields: () => ({
        have: { description: "A linked object matches.", type: whereInput ?? OBJECT },
        haveNot: { description: "No linked object matches.", type: whereInput ?? OBJECT },
        exists: { description: "There is a linked object.", type: GraphQLBoolean },
      }),
    }),
  );
  const findArguments = {
    where: {
      description: "These are the conditions that the objects need to match in order to be found.",
      type: whereInput ?? OBJECT,
    },
    order: {
      description: "The fields to be used when sorting the data fetched.",
      type: orderType(registry, type, fields),
    },
    skip: { description: "How many objects are left out.", type: GraphQLInt },
    ...connectionArgs,
    options: { description: "Accepted for clients of Parse Server.", type: READ_OPTIONS_INPUT },
  };
  const output = registry.addOfClass(createOutputType(registry, graphqlClass, type, fields));
  registry.classTypes.set(className, {
    createInput,
    updateInput,
    pointerInput,
    relationInput,
    whereInput,
    relationWhere,
    findArguments,
    output,
    connection: output && addConnection(registry, type, output),
  });
}

function addInput(
  registry: TypeRegistry,
  { fields }: GraphqlClass,
  name: string,
  names: readonly string[],
  isNew: boolean,
): GraphQLInputObjectType | undefined {
  return registry.addOfClass(
    new GraphQLInputObjectType({
      name,
      description: isNew ? "The fields of a new object." : "The changed fields of an object.",
      fields: () => {
        const inputs: Record<string, GraphQLInputFieldConfig> = {
          ACL: { description: "Who may read and write the object.", type: ACL_INPUT },
        };
        for (const field of names) {
          const fieldType = fields[field];
          if (!fieldType) continue;
          const type = inputTypeOf(fieldType, registry);
          const isRequired = isNew && fieldType.required === true && fieldType.defaultValue === undefined;
          inputs[field] = {
            description: `This is the object ${field}.`,
            type: isRequired ? new GraphQLNonNull(type) : type,
          };
        }
        return inputs;
      },
    }),
  );
}

function addWhere(
  registry: TypeRegistry,
  { fields }: GraphqlClass,
  typeName: string,
  { where }: ClassFields,
): GraphQLInputObjectType | undefined {
  const type: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: `${typeName}WhereInput`,
    description: `Conditions on objects of the class ${typeName}.`,
    fields: () => {
      const inputs: Record<string, GraphQLInputFieldConfig> = {};
      for (const field of where) {
        const fieldType = fields[field === "id" ? "objectId" : field];
        if (!fieldType) continue;
        inputs[field] = {
          description: `This is the object ${field}.`,
          type: whereTypeOf(field, fieldType, registry),
        };
      }
      const list = new GraphQLList(new GraphQLNonNull(type));
      inputs.OR = { description: "One of these matches.", type: list };
      inputs.AND = { description: "All of these match.", type: list };
      inputs.NOR = { description: "None of these matches.", type: list };
      return inputs;
    },
  });
  return registry.addOfClass(type);
}

function orderType(registry: TypeRegistry, typeName: string, { order }: ClassFields) {
  const values: Record<string, { value: string }> = {};
  for (const { field, asc, desc } of order) {
    const value = field === "id" ? "objectId" : field;
    if (asc) values[`${field}_ASC`] = { value };
    if (desc) values[`${field}_DESC`] = { value: `-${value}` };
  }
  const type = registry.addOfClass(
    new InputEnum({
      name: `${typeName}Order`,
      description: `The order of objects of the class ${typeName}.`,
      values,
    }),
  );
  return type ? new GraphQLList(new GraphQLNonNull(type)) : new GraphQLList(GraphQLString);
}

function addConnection(
  registry: TypeRegistry,
  name: string,
  output: GraphQLObjectType,
): GraphQLObjectType | undefined {
  const { connectionType, edgeType } = connectionDefinitions({
    name,
    nodeType: output,
    connectionFields: () => ({
      count: {
        description: "This is the number of all matching objects.",
        type: new GraphQLNonNull(GraphQLInt),
      },
      edges: {
        description: "A list of edges.",
        type: new GraphQLList(edgeType),
      },
    }),
  });
  return registry.addOfClass(edgeType) && registry.addOfClass(connectionType, true);
}
