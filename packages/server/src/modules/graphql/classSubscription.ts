import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { GraphQLEnumType, GraphQLNonNull, GraphQLObjectType } from "graphql";
import { graphqlNames } from "./classNames.ts";
import type { GraphqlContext, LiveEvent } from "./context.ts";
import { keepsPromises } from "./outputType.ts";
import { selectionOf } from "./selection.ts";
import type { GraphqlClass, TypeRegistry } from "./typeRegistry.ts";
import { toWhere } from "./whereTransform.ts";

/** Creates the type of the events of live queries. */
export function createLiveQueryEvent(): GraphQLEnumType {
  return new GraphQLEnumType({
    name: "LiveQueryEvent",
    description: "What happened to an object, seen from a live query.",
    values: {
      CREATE: { value: "create", description: "An object that matches was created." },
      ENTER: { value: "enter", description: "An object matches now." },
      UPDATE: { value: "update", description: "An object that matches was changed." },
      LEAVE: { value: "leave", description: "An object does not match anymore." },
      DELETE: { value: "delete", description: "An object that matched was deleted." },
    },
  });
}

/** Adds the subscription to changes of objects of a class. */
export function addClassSubscription(
  registry: TypeRegistry,
  { className }: GraphqlClass,
  liveQueryEvent: GraphQLEnumType,
): void {
  const types = registry.classTypes.get(className);
  const { type, one } = graphqlNames(className);
  if (!types?.output || !types.whereInput) return;
  const event = registry.addOfClass(
    new GraphQLObjectType<LiveEvent, GraphqlContext>({
      name: `${type}Event`,
      description: `A change of an object of the class ${type}.`,
      fields: {
        event: { description: "What happened.", type: new GraphQLNonNull(liveQueryEvent) },
        node: {
          description:
            "The object after the change; the deleted one if it was deleted. Null if it may not be read anymore and more than its id is selected.",
          type: types.output,
          resolve: ({ object }, _args, _context, info) => keepsPromises(object, selectionOf(info)),
        },
        original: {
          description: "The object before the change.",
          type: types.output,
          resolve: ({ original }, _args, _context, info) =>
            original && keepsPromises(original, selectionOf(info)),
        },
      },
    }),
  );
  if (!event) return;
  registry.addFieldOfClass("subscriptions", `${one}Changed`, {
    description: `Changes of objects of the class ${type} that match.`,
    args: { where: { description: "Which objects.", type: types.whereInput } },
    type: new GraphQLNonNull(event),
    subscribe(_source, { where }: { where?: JsonObject | null }, context) {
      if (!context.subscribe)
        throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "Subscriptions need a WebSocket.");
      return context.subscribe(className, toWhere(where ?? {}, className, registry.fieldsOf));
    },
    resolve: (liveEvent: LiveEvent) => liveEvent,
  });
}
