import { z } from "zod";
import { created, fields, NOT_FOUND, object, objectEndpoints } from "./objectEndpoints.ts";
import { jsonObject, nothing, type ParseEndpoint } from "./row.ts";

const user = object.extend({ sessionToken: z.string().optional() }).describe("The user").meta({ id: "User" });
const session = object
  .extend({ sessionToken: z.string().optional() })
  .describe("The session")
  .meta({ id: "Session" });
const credentials = z.object({
  username: z.string().optional(),
  email: z.string().optional().describe("Instead of `username`"),
  password: z.string(),
  authData: jsonObject.optional().describe("Second factor: `{ mfa: { token } }` or `{ mfa: { passkey } }`"),
});
const WRONG_PASSWORD = { 404: "Wrong username or password (101)" };
const email = z.object({ email: z.string() });
const signUp = z.looseObject({
  username: z.string().optional(),
  password: z.string().optional(),
  email: z.string().optional(),
  authData: jsonObject.optional().describe("Identities by provider, instead of a password"),
});

/** Everything but signing up and creating sessions, which have rows of their own. */
function accountEndpoints(path: string, noun: string, plural: string): ParseEndpoint[] {
  return objectEndpoints(path, noun, plural).filter(({ method }) => method !== "POST");
}

function signUpEndpoint(path: string): ParseEndpoint {
  return {
    method: "POST",
    path,
    access: "everyone",
    summary: "Sign up, or sign in with `authData`",
    body: signUp,
    response: z.union([created.extend({ sessionToken: z.string() }), user]),
    status: 201,
  };
}

function newSessionEndpoint(path: string): ParseEndpoint {
  return {
    method: "POST",
    path,
    access: "user",
    summary: "Start another session of the user",
    body: fields,
    response: session,
    status: 201,
  };
}

/** A page of the links in emails, or a form of it. */
function page(method: "GET" | "POST", path: string, summary: string, input: z.ZodObject): ParseEndpoint {
  return {
    method,
    path: `/apps/${path}`,
    access: "everyone",
    summary,
    ...(method === "GET" ? { query: input } : { body: input, bodyType: "application/x-www-form-urlencoded" }),
    response: nothing,
    streams: ["text/html"],
    isApplicationOptional: true,
  };
}

const token = z.object({ token: z.string() });
const newPassword = token.extend({ new_password: z.string(), repeated: z.string().optional() });

/** `id` is the application id, `error` why the previous password was rejected. */
const chosen = token.extend({ id: z.string(), error: z.string().optional() });

const passkey = z
  .object({
    objectId: z.string(),
    credentialId: z.string().describe("In base64url"),
    name: z.string(),
    createdAt: z.string(),
    lastUsedAt: z.string().optional(),
    transports: z.array(z.string()),
    isSyncable: z.boolean().describe("Whether it can be copied to other devices"),
    isBackedUp: z.boolean().describe("Whether it has been copied"),
  })
  .meta({ id: "Passkey" });
const passkeyName = z.string().optional().describe("Up to 100 characters");

/** Passkeys. Signing in with one is a sign-in with `authData`. */
const PASSKEY_ENDPOINTS: readonly ParseEndpoint[] = [
  {
    method: "POST",
    path: "/passkeys/options",
    access: "everyone",
    summary: "Request options of `navigator.credentials.get()` or `create()`, with a challenge",
    body: z.object({
      purpose: z
        .enum(["login", "factor", "register", "signup"])
        .describe("`register` needs a session; `signup` creates an account"),
      username: z.string().optional().describe("For `signup`: the name that the authenticator shows"),
      code: z
        .union([z.string(), jsonObject])
        .optional()
        .describe("To register with a second factor: a code of it, or `{ passkey }`"),
    }),
    response: z.object({
      options: jsonObject.describe("As JSON of WebAuthn"),
      userId: z.string().optional().describe("For `signup`: the ID of the new account"),
    }),
  },
  {
    method: "GET",
    path: "/passkeys",
    access: "user",
    summary: "List the passkeys of the current user",
    response: z.object({ results: z.array(passkey) }),
  },
  {
    method: "POST",
    path: "/passkeys",
    access: "user",
    summary: "Register a passkey",
    body: z.object({
      credential: jsonObject.describe("What `navigator.credentials.create()` returned, as JSON"),
      name: passkeyName,
    }),
    response: passkey,
    status: 201,
  },
  {
    method: "PUT",
    path: "/passkeys/:objectId",
    access: "user",
    summary: "Rename a passkey",
    body: z.object({ name: passkeyName }),
    response: passkey,
    errors: NOT_FOUND,
  },
  {
    method: "DELETE",
    path: "/passkeys/:objectId",
    access: "user",
    summary: "Remove a passkey",
    response: nothing,
    errors: NOT_FOUND,
  },
];

/** Users, sessions and the emails of accounts. */
export const USER_ENDPOINTS: readonly ParseEndpoint[] = [
  signUpEndpoint("/users"),
  signUpEndpoint("/classes/_User"),
  {
    method: "GET",
    path: "/login",
    access: "everyone",
    summary: "Log in",
    query: credentials,
    response: user,
    errors: WRONG_PASSWORD,
  },
  {
    method: "POST",
    path: "/login",
    access: "everyone",
    summary: "Log in",
    body: credentials,
    response: user,
    errors: WRONG_PASSWORD,
  },
  {
    method: "POST",
    path: "/challenge",
    access: "everyone",
    summary: "Request challenges from sign-in providers",
    body: z.object({
      username: z.string().optional(),
      email: z.string().optional(),
      password: z.string().optional(),
      authData: jsonObject.optional().describe("One proof, instead of username and password"),
      challengeData: jsonObject.describe("By provider"),
    }),
    response: z.object({ challengeData: jsonObject.describe("The answers, by provider") }),
    errors: WRONG_PASSWORD,
  },
  {
    method: "POST",
    path: "/loginAs",
    access: "masterKey",
    summary: "Start a session of another user",
    body: z.object({ userId: z.string() }),
    response: user,
  },
  { method: "POST", path: "/logout", access: "user", summary: "Log out", response: nothing },
  { method: "GET", path: "/users/me", access: "user", summary: "Read the current user", response: user },
  {
    method: "GET",
    path: "/users/me/signInMethods",
    access: "user",
    summary: "Whether the current user has a password",
    response: z.object({ hasPassword: z.boolean() }),
  },
  ...accountEndpoints("/users", "a user", "users"),
  {
    method: "GET",
    path: "/classes/_User/:objectId",
    access: "everyone",
    summary: "Read a user",
    response: user,
  },
  ...PASSKEY_ENDPOINTS,
  {
    method: "GET",
    path: "/verifyPassword",
    access: "everyone",
    summary: "Check a password",
    query: credentials,
    response: user,
    errors: WRONG_PASSWORD,
  },
  {
    method: "POST",
    path: "/verifyPassword",
    access: "everyone",
    summary: "Check a password",
    body: credentials,
    response: user,
    errors: WRONG_PASSWORD,
  },
  {
    method: "GET",
    path: "/sessions/me",
    access: "user",
    summary: "Read the current session",
    response: session,
  },
  {
    method: "PUT",
    path: "/sessions/me",
    access: "user",
    summary: "Change the current session",
    body: fields,
    response: z.object({ updatedAt: z.string() }),
  },
  {
    method: "DELETE",
    path: "/sessions/me",
    access: "user",
    summary: "End the current session",
    response: nothing,
  },
  newSessionEndpoint("/sessions"),
  newSessionEndpoint("/classes/_Session"),
  ...accountEndpoints("/sessions", "a session", "sessions"),
  {
    method: "POST",
    path: "/upgradeToRevocableSession",
    access: "user",
    summary: "Start another session of the user",
    response: session,
  },
  {
    method: "POST",
    path: "/requestPasswordReset",
    access: "everyone",
    summary: "Send an email to reset the password",
    body: email,
    response: nothing,
  },
  {
    method: "POST",
    path: "/verificationEmailRequest",
    access: "everyone",
    summary: "Send the verification email again",
    body: email,
    response: nothing,
  },
  page("GET", ":appId/verify_email", "Page of the link in verification emails", token),
  page("GET", ":appId/resend_verification_email", "Page that sends the verification email again", nothing),
  page(
    "POST",
    ":appId/resend_verification_email",
    "Send the verification email again, from that page",
    email,
  ),
  page("GET", ":appId/request_password_reset", "Page to choose a new password", token),
  page("POST", ":appId/request_password_reset", "Set the new password, from that page", newPassword),
  page("GET", "choose_password", "Page to choose a new password", chosen),
  page("GET", "verify_email_success.html", "Page after a verification", nothing),
  page("GET", "password_reset_success.html", "Page after a new password", nothing),
  page("GET", "link_send_success.html", "Page after a repeated verification email", nothing),
  page("GET", "link_send_fail.html", "Page after a verification email that was not sent", nothing),
  page("GET", "invalid_link.html", "Page of a link that is not valid", nothing),
  page("GET", "invalid_verification_link.html", "Page of a verification link that is not valid", nothing),
];
