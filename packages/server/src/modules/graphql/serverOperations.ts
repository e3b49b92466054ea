import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { GraphQLBoolean, GraphQLNonNull } from "graphql";
import { fromGlobalId, nodeDefinitions } from "graphql-relay";
import { execute, type GraphqlContext, type UploadedFile } from "./context.ts";
import { InputEnum } from "./inputEnum.ts";
import { addMutation } from "./mutationDefinition.ts";
import { getObject } from "./readObjects.ts";
import { ANY, OBJECT, UPLOAD } from "./scalars.ts";
import { selectionOf } from "./selection.ts";
import type { TypeRegistry } from "./typeRegistry.ts";
import { FILE_INFO } from "./valueTypes.ts";

export function addHealth(registry: TypeRegistry): void {
  registry.queries.health = {
    description: "The health query can be used to check if the server is up and running.",
    type: new GraphQLNonNull(GraphQLBoolean),
    resolve: () => true,
  };
}

/** Adds Relay's interface of all objects and its query; before the classes. */
export function addNode(registry: TypeRegistry): void {
  const { nodeInterface, nodeField } = nodeDefinitions<GraphqlContext>(
    async (globalId, context, info) => {
      const { type: className, id } = fromGlobalId(globalId);
      if (!registry.classTypes.get(className)?.output)
        throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
      const object = await getObject(context, className, id, selectionOf(info), registry.fieldsOf);
      return { ...object, className };
    },
    (object: { className: string }) => registry.classTypes.get(object.className)?.output?.name,
  );
  registry.add(nodeInterface);
  registry.nodeInterface = nodeInterface;
  registry.queries.node = nodeField;
}

export function addFileMutation(registry: TypeRegistry): void {
  addMutation<{ upload: UploadedFile }>(registry, "createFile", {
    typeName: "CreateFile",
    description: "The createFile mutation can be used to create and upload a new file.",
    input: { upload: { description: "This is the new file.", type: new GraphQLNonNull(UPLOAD) } },
    output: {
      fileInfo: { description: "This is the created file info.", type: new GraphQLNonNull(FILE_INFO) },
    },
    run: async ({ upload }, { operations, requestContext: request }) => ({
      fileInfo: await operations.saveFile(request, upload),
    }),
  });
}

/** Adds the mutation that calls cloud functions, if there are any. */
export function addFunctionMutation(registry: TypeRegistry, functionNames: readonly string[]): void {
  const names = functionNames.filter((name) => /^(?!__)[_a-zA-Z]\w*$/.test(name) && !NO_ENUM_NAMES.has(name));
  if (names.length === 0) return;
  const functions = new InputEnum({
    name: "CloudCodeFunction",
    description: "The cloud functions of the server.",
    values: Object.fromEntries(names.map((name) => [name, { value: name }])),
  });
  addMutation<{ functionName: string; params?: JsonValue }>(registry, "callCloudCode", {
    typeName: "CallCloudCode",
    description: "The callCloudCode mutation can be used to invoke a cloud code function.",
    input: {
      functionName: { description: "The function.", type: new GraphQLNonNull(functions) },
      params: { description: "Its parameters.", type: OBJECT },
    },
    output: { result: { description: "What it returns.", type: ANY } },
    async run({ functionName, params }, context) {
      const result = await callFunction(context, functionName, isJsonObject(params) ? params : {});
      return { result };
    },
  });
}

const NO_ENUM_NAMES: ReadonlySet<string> = new Set(["true", "false", "null"]);

/** Calls a cloud function. */
async function callFunction(context: GraphqlContext, name: string, params: JsonObject): Promise<JsonValue> {
  return (await execute(context, "POST", `/functions/${encodeURIComponent(name)}`, params)).result ?? null;
}
