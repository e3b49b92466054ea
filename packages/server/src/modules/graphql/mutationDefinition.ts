import type { JsonObject } from "@purse/protocol";
import type { GraphQLInputFieldConfig, GraphQLOutputType, GraphQLResolveInfo } from "graphql";
import { mutationWithClientMutationId } from "graphql-relay";
import type { GraphqlContext } from "./context.ts";
import type { Field, TypeRegistry } from "./typeRegistry.ts";

export interface MutationDefinition<Input> {
  /** The name of its types: `CreateNote` for `CreateNoteInput` and `CreateNotePayload`. */
  typeName: string;
  description: string;
  input?: Record<string, GraphQLInputFieldConfig>;
  output: Record<string, { description: string; type: GraphQLOutputType }>;
  run(input: Input, context: GraphqlContext, info: GraphQLResolveInfo): Promise<object>;
}

function mutationOf<Input>({ typeName, description, input = {}, output, run }: MutationDefinition<Input>) {
  return mutationWithClientMutationId({
    name: typeName,
    description,
    inputFields: input,
    outputFields: output,
    mutateAndGetPayload: run,
  });
}

/** Adds a mutation of the server, in Relay's form. */
export function addMutation<Input>(
  registry: TypeRegistry,
  name: string,
  definition: MutationDefinition<Input>,
): void {
  registry.mutations[name] = mutationOf(definition);
}

/** Adds a mutation of a class, unless one of its names is taken. */
export function addMutationOfClass<Input>(
  registry: TypeRegistry,
  name: string,
  definition: MutationDefinition<Input>,
): void {
  const { typeName } = definition;
  const isTaken = registry.isTaken(`${typeName}Input`) || registry.isTaken(`${typeName}Payload`);
  if (!isTaken) registry.addFieldOfClass("mutations", name, mutationOf(definition) as Field);
}

/** The fields of an object as they are after a write, without those that it removed. */
export function withoutRemoved(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isRemoval(value) ? null : value]),
  );
}

function isRemoval(value: unknown): boolean {
  return typeof value === "object" && value !== null && "__op" in value && value.__op === "Delete";
}
