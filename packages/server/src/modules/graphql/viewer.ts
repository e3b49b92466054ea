import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { GraphQLNonNull, GraphQLObjectType, GraphQLString } from "graphql";
import type { AuthContext } from "../../core/authContext.ts";
import type { GraphqlContext } from "./context.ts";
import { getObject } from "./readObjects.ts";
import { type FieldsOf, type Selection, selectionOf } from "./selection.ts";
import type { TypeRegistry } from "./typeRegistry.ts";

/** A user that has signed in. */
export interface SignedIn {
  userId: string;
  sessionToken?: string;
  authDataResponse?: JsonValue;
}

/** Adds the type of the current user and its query, unless users are excluded from the schema. */
export function addViewer(registry: TypeRegistry): void {
  const user = registry.classTypes.get("_User")?.output;
  if (!user) return;
  registry.viewer = new GraphQLObjectType({
    name: "Viewer",
    description: "The current user.",
    fields: {
      sessionToken: {
        description: "The current user session token.",
        type: new GraphQLNonNull(GraphQLString),
      },
      user: { description: "This is the current user.", type: new GraphQLNonNull(user) },
    },
  });
  registry.add(registry.viewer);
  registry.queries.viewer = {
    description: "The viewer query can be used to return the current user data.",
    type: new GraphQLNonNull(registry.viewer),
    resolve: (_source, _args, context, info) => {
      const { auth } = context.requestContext;
      if (auth.kind !== "user") throw invalidSession();
      return viewerOf(context, auth, selectionOf(info), registry.fieldsOf);
    },
  };
}

/** Returns the current user with the permissions of its session. Throws 209. */
export async function viewerOf(
  context: GraphqlContext,
  { userId, sessionToken, authDataResponse }: SignedIn,
  selection: Selection,
  fieldsOf: FieldsOf,
): Promise<{ sessionToken: string; user: JsonObject }> {
  // A sign-up whose email address has to be verified first has no session.
  if (sessionToken === undefined) throw invalidSession();
  const auth: AuthContext =
    context.requestContext.auth.kind === "user" && context.requestContext.auth.sessionToken === sessionToken
      ? context.requestContext.auth
      : await context.operations.authenticateSession(sessionToken);
  const asUser = { ...context, requestContext: { ...context.requestContext, auth } };
  const { authDataResponse: _, ...fields } = selection.user ?? {};
  const hasFields = Object.keys(fields).length > 0;
  const user = hasFields ? await getObject(asUser, "_User", userId, fields, fieldsOf) : { objectId: userId };
  return { sessionToken, user: { ...user, ...(authDataResponse !== undefined && { authDataResponse }) } };
}

function invalidSession(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
}
