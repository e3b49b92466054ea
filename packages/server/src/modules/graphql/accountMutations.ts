import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import {
  GraphQLBoolean,
  GraphQLInputObjectType,
  GraphQLNonNull,
  type GraphQLResolveInfo,
  GraphQLString,
} from "graphql";
import { execute, type GraphqlContext } from "./context.ts";
import { addMutation } from "./mutationDefinition.ts";
import { OBJECT } from "./scalars.ts";
import { type FieldsOf, selectionOf } from "./selection.ts";
import type { TypeRegistry } from "./typeRegistry.ts";
import { viewerOf } from "./viewer.ts";
import { FieldWriter, type InputFields } from "./writeFields.ts";

const text = (description: string) => ({ description, type: new GraphQLNonNull(GraphQLString) });
const optionalText = (description: string) => ({ description, type: GraphQLString });
const OK = { ok: { description: "It's always true.", type: new GraphQLNonNull(GraphQLBoolean) } };
const AUTH_DATA = { description: "The data of auth providers.", type: OBJECT };
const SIGN_IN_FIELDS: ReadonlySet<string> = new Set(["username", "password", "authData"]);

/** Adds sign-up, sign-in and sign-out, and the mails of accounts. */
export function addAccountMutations(registry: TypeRegistry): void {
  const { viewer } = registry;
  if (!viewer) return;
  const createInput = registry.classTypes.get("_User")?.createInput;
  const viewerOutput = {
    viewer: { description: "The user that signed in.", type: new GraphQLNonNull(viewer) },
  };

  addMutation<{ fields?: InputFields | null }>(registry, "signUp", {
    typeName: "SignUp",
    description: "The signUp mutation can be used to create and sign up a new user.",
    input: { fields: { description: "The fields of the new user.", type: createInput ?? OBJECT } },
    output: viewerOutput,
    run: async ({ fields }, context, info) => {
      const user = await new FieldWriter(registry, context).toFields("_User", fields ?? {});
      return signedIn(context, "/users", user, info, registry.fieldsOf);
    },
  });
  addMutation<{ fields?: InputFields | null; authData: JsonObject }>(registry, "logInWith", {
    typeName: "LogInWith",
    description:
      "The logInWith mutation signs a user in by an auth provider. A user that does not exist yet is created.",
    input: {
      authData: { ...AUTH_DATA, type: new GraphQLNonNull(OBJECT) },
      fields: {
        description: "Further fields of the user.",
        type: new GraphQLInputObjectType({
          name: "UserLoginWithInput",
          fields: () =>
            Object.fromEntries(
              Object.entries(createInput?.toConfig().fields ?? {}).filter(
                ([name]) => !SIGN_IN_FIELDS.has(name),
              ),
            ),
        }),
      },
    },
    output: viewerOutput,
    run: async ({ fields, authData }, context, info) => {
      const user = await new FieldWriter(registry, context).toFields("_User", fields ?? {});
      return signedIn(context, "/users", { ...user, authData }, info, registry.fieldsOf);
    },
  });
  addMutation<{ username: string; password: string; authData?: JsonObject | null }>(registry, "logIn", {
    typeName: "LogIn",
    description: "The logIn mutation can be used to log in an existing user.",
    input: {
      username: text("This is the username used to log in the user."),
      password: text("This is the password used to log in the user."),
      authData: AUTH_DATA,
    },
    output: viewerOutput,
    run: ({ username, password, authData }, context, info) =>
      signedIn(
        context,
        "/login",
        { username, password, ...(authData && { authData }) },
        info,
        registry.fieldsOf,
      ),
  });
  addMutation<object>(registry, "logOut", {
    typeName: "LogOut",
    description: "The logOut mutation can be used to log out an existing user.",
    output: OK,
    run: (_input, context) => done(context, "/logout", {}),
  });
  addMutation<{ email: string }>(registry, "resetPassword", {
    typeName: "ResetPassword",
    description: "The resetPassword mutation sends a user a link to set a new password.",
    input: { email: text("Email of the user that should receive the reset email") },
    output: OK,
    run: ({ email }, context) => done(context, "/requestPasswordReset", { email }),
  });
  addMutation<{ username: string; password: string; token: string }>(registry, "confirmResetPassword", {
    typeName: "ConfirmResetPassword",
    description: "The confirmResetPassword mutation sets a new password with the token of a reset mail.",
    input: {
      username: text("Username of the user that has received the reset email"),
      password: text("New password of the user"),
      token: text("Reset token that was emailed to the user"),
    },
    output: OK,
    async run({ username, password, token }, context) {
      if (username === "") throw new ProtocolError(ErrorCode.USERNAME_MISSING, "you must provide a username");
      if (password === "") throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "you must provide a password");
      await context.operations.setPassword(context.requestContext, username, token, password);
      return { ok: true };
    },
  });
  addMutation<{ email: string }>(registry, "sendVerificationEmail", {
    typeName: "SendVerificationEmail",
    description: "The sendVerificationEmail mutation can be used to send the verification email again.",
    input: { email: text("Email of the user that should receive the verification email") },
    output: OK,
    run: ({ email }, context) => done(context, "/verificationEmailRequest", { email }),
  });
  addMutation<JsonObject>(registry, "challenge", {
    typeName: "Challenge",
    description: "The challenge mutation starts the challenge of an auth provider.",
    input: {
      username: optionalText("The name of the user, if the provider has to know it."),
      password: optionalText("The password of the user."),
      authData: AUTH_DATA,
      challengeData: { description: "The data of the challenge.", type: OBJECT },
    },
    output: { challengeData: { description: "The answer of the provider.", type: OBJECT } },
    run: ({ clientMutationId: _, ...params }, context) => execute(context, "POST", "/challenge", params),
  });
}

async function done(context: GraphqlContext, path: string, params: JsonObject): Promise<{ ok: true }> {
  await execute(context, "POST", path, params);
  return { ok: true };
}

/** Signs a user in; what follows in the operation has the permissions of that user. */
async function signedIn(
  context: GraphqlContext,
  path: string,
  params: JsonObject,
  info: GraphQLResolveInfo,
  fieldsOf: FieldsOf,
): Promise<{ viewer: object }> {
  const { sessionToken, objectId, authDataResponse } = await execute(context, "POST", path, params);
  const viewer = await viewerOf(
    context,
    {
      userId: String(objectId),
      ...(typeof sessionToken === "string" && { sessionToken }),
      ...(authDataResponse !== undefined && { authDataResponse }),
    },
    selectionOf(info).viewer ?? {},
    fieldsOf,
  );
  return { viewer };
}
