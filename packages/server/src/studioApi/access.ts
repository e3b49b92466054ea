import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { after, jsonObject, nothing, page, results, text } from "./fields.ts";
import { studioAccessLevel, studioRole } from "./operatorRoles.ts";
import { studioTheme } from "./theme.ts";

export const studioRouteInfo = z.object({
  method: z.enum(["GET", "POST", "PUT", "DELETE"]),
  path: z.string().describe("Path below `/studio/api` with parameters: `/data/:className`"),
  needs: studioAccessLevel,
});
export type StudioRouteInfo = z.infer<typeof studioRouteInfo>;

export const studioOperator = z
  .object({
    id: z.string(),
    username: z.string(),
    role: studioRole,
    createdAt: z.string(),
    hasSecondFactor: z.boolean(),
    isDisabled: z.boolean().describe("Disabled operators cannot sign in"),
    lastSignInAt: z.string().optional(),
    theme: studioTheme.optional().describe("The chosen theme of the studio, on all devices"),
  })
  .meta({ id: "StudioOperator" });
export type StudioOperator = z.infer<typeof studioOperator>;

export const studioSession = z
  .object({
    id: z.string(),
    createdAt: z.string(),
    lastUsedAt: z.string().describe("Accurate to the minute"),
    expiresAt: z.string().describe("Maximum lifetime, regardless of use"),
    address: z.string(),
    userAgent: z.string(),
    isCurrent: z.boolean(),
    name: z.string().optional().describe("Name of an access token; absent for sessions of browsers"),
  })
  .meta({ id: "StudioSession" });
export type StudioSession = z.infer<typeof studioSession>;

export const studioPasskey = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: z.string(),
    lastUsedAt: z.string().optional(),
    isSyncable: z.boolean().describe("Whether it can be copied to other devices"),
    isBackedUp: z.boolean().describe("Whether it has been copied"),
  })
  .meta({ id: "StudioPasskey" });
export type StudioPasskey = z.infer<typeof studioPasskey>;

const signedIn = z.object({
  state: z.literal("signedIn"),
  operator: studioOperator,
  csrf: z.string().describe("Sent as `X-Purse-CSRF` with every request except GET"),
});

/** The session state, which the pages request first. */
export const studioState = z
  .discriminatedUnion("state", [
    z.object({ state: z.literal("setup") }),
    z.object({ state: z.literal("signedOut") }),
    signedIn,
  ])
  .meta({ id: "StudioState" });
export type StudioState = z.infer<typeof studioState>;

export const studioAuditEntry = z
  .object({
    id: z.string(),
    at: z.string(),
    operatorId: z.string().optional(),
    username: z.string(),
    action: z
      .string()
      .describe(
        "The route: `PUT /data/:className/:objectId`; `MCP` and the name of a tool; or `backup restored`",
      ),
    target: z.string(),
    outcome: z
      .enum(["begun", "done", "refused"])
      .describe("`begun` remains if the server stopped before the action completed"),
    before: z.string().optional().describe("Values before the change as a short JSON text, without secrets"),
    after: z.string().optional(),
    address: z.string(),
    requestId: z.string(),
    error: z.string().optional(),
  })
  .meta({ id: "StudioAuditEntry" });
export type StudioAuditEntry = z.infer<typeof studioAuditEntry>;

/** Passwords are validated when they are set: too short ones are refused with 142. */
const newPassword = z.string();
const password = text(1_000);
const code = text(100);
/** What proves the second factor. */
const factor = {
  code: code.optional(),
  passkey: jsonObject.optional().describe("What a passkey has signed, instead of a code"),
};
const passkeyOptions = z.object({ options: jsonObject.describe("Options of WebAuthn as JSON") });

export const accessEndpoints = {
  routes: endpoint("GET", "/routes", {
    needs: "session",
    summary: "The routes on this page",
    input: nothing,
    response: results(studioRouteInfo),
  }),
  openApi: endpoint("GET", "/openapi.json", {
    needs: "session",
    summary: "This API as an OpenAPI 3.1 document",
    input: nothing,
    response: jsonObject,
  }),
  state: endpoint("GET", "/state", {
    needs: "none",
    summary: "The session and its CSRF token",
    input: nothing,
    response: studioState,
  }),
  setUp: endpoint("POST", "/setup", {
    needs: "none",
    summary: "Creates the first operator and signs in; sets the cookie",
    input: z.object({ code: text(200), username: z.string(), password: newPassword }),
    response: studioState,
    status: 201,
  }),
  createSession: endpoint("POST", "/session", {
    needs: "none",
    summary: "Signs in; sets the cookie. 401 with `secondFactor` if a code is required",
    input: z.object({ username: text(200), password, ...factor }),
    response: studioState,
    status: 201,
  }),
  passkeyOptions: endpoint("GET", "/passkeys/options", {
    needs: "none",
    summary: "Options of `navigator.credentials.get()` for a sign-in or a second factor",
    input: z.object({ purpose: z.enum(["login", "factor"]) }),
    response: passkeyOptions,
  }),
  createPasskeySession: endpoint("POST", "/session/passkey", {
    needs: "none",
    summary: "Signs in with a passkey; sets the cookie",
    input: z.object({ passkey: jsonObject }),
    response: studioState,
    status: 201,
  }),
  endSession: endpoint("DELETE", "/session", {
    needs: "session",
    summary: "Signs out",
    input: nothing,
    response: nothing,
  }),
  ownSessions: endpoint("GET", "/sessions", {
    needs: "session",
    summary: "Your own sessions",
    input: nothing,
    response: results(studioSession),
  }),
  endOthers: endpoint("DELETE", "/sessions", {
    needs: "session",
    summary: "Ends all other sessions",
    input: nothing,
    response: nothing,
  }),
  endOne: endpoint("DELETE", "/sessions/:id", {
    needs: "session",
    summary: "Ends one session",
    input: nothing,
    response: nothing,
  }),
  createAccessToken: endpoint("POST", "/access-tokens", {
    needs: "session",
    summary: "Creates an access token for an AI tool, which is returned once",
    input: z.object({
      password,
      name: text(100),
      days: z.int().min(1).max(365).default(90).describe("Lifetime, 1 to 365 days; 90 by default"),
    }),
    response: z.object({ id: z.string(), token: z.string(), expiresAt: z.string() }),
    status: 201,
  }),
  changePassword: endpoint("PUT", "/password", {
    needs: "session",
    summary: "Changes your own password, sets a new cookie and ends all other sessions",
    input: z.object({ password, newPassword }),
    response: studioState,
  }),
  changePreferences: endpoint("PUT", "/preferences", {
    needs: "session",
    summary: "Changes the theme of your studio",
    input: z.object({ theme: studioTheme }),
    response: studioOperator,
  }),
  beginFactor: endpoint("POST", "/second-factor", {
    needs: "session",
    summary: "Begins the setup of a second factor in an authenticator app",
    input: z.object({ password }),
    response: z.object({ secret: z.string(), url: z.string() }),
  }),
  confirmFactor: endpoint("PUT", "/second-factor", {
    needs: "session",
    summary: "Activates the second factor. The codes are returned once; other sessions end",
    input: z.object({ code }),
    response: z.object({ recoveryCodes: z.array(z.string()) }),
  }),
  removeFactor: endpoint("DELETE", "/second-factor", {
    needs: "session",
    summary: "Removes the second factor",
    input: z.object({ password, ...factor }),
    response: nothing,
  }),
  passkeys: endpoint("GET", "/passkeys", {
    needs: "session",
    summary: "Your own passkeys",
    input: nothing,
    response: results(studioPasskey),
  }),
  passkeyRegistration: endpoint("POST", "/passkeys/registration", {
    needs: "session",
    summary: "Options of `navigator.credentials.create()` for a new passkey",
    input: z.object({ password, ...factor }),
    response: passkeyOptions,
  }),
  addPasskey: endpoint("POST", "/passkeys", {
    needs: "session",
    summary: "Adds a passkey",
    input: z.object({ credential: jsonObject, name: text(100).optional() }),
    response: studioPasskey,
    status: 201,
  }),
  renamePasskey: endpoint("PUT", "/passkeys/:id", {
    needs: "session",
    summary: "Renames a passkey",
    input: z.object({ name: text(100) }),
    response: studioPasskey,
  }),
  removePasskey: endpoint("DELETE", "/passkeys/:id", {
    needs: "session",
    summary: "Removes a passkey",
    input: z.object({ password }),
    response: nothing,
  }),
  operators: endpoint("GET", "/operators", {
    needs: "owner",
    summary: "All operators",
    input: nothing,
    response: results(studioOperator),
  }),
  addOperator: endpoint("POST", "/operators", {
    needs: "owner",
    summary: "Adds an operator",
    input: z.object({ username: z.string(), password: newPassword, role: studioRole }),
    response: studioOperator,
    status: 201,
  }),
  changeOperator: endpoint("PUT", "/operators/:id", {
    needs: "owner",
    summary: "Changes an operator, whose sessions end. A new password also removes the passkeys",
    input: z.object({
      role: studioRole.optional(),
      isDisabled: z.boolean().optional(),
      password: newPassword.optional(),
      removeSecondFactor: z.boolean().optional(),
      unlock: z.boolean().optional(),
    }),
    response: studioOperator,
  }),
  removeOperator: endpoint("DELETE", "/operators/:id", {
    needs: "owner",
    summary: "Deletes an operator",
    input: nothing,
    response: nothing,
  }),
  operatorSessions: endpoint("GET", "/operators/:id/sessions", {
    needs: "owner",
    summary: "Sessions of an operator",
    input: nothing,
    response: results(studioSession),
  }),
  endOperatorSessions: endpoint("DELETE", "/operators/:id/sessions", {
    needs: "owner",
    summary: "Ends the sessions of an operator",
    input: nothing,
    response: nothing,
  }),
  audit: endpoint("GET", "/audit", {
    needs: "owner",
    summary: "The audit log, newest first",
    input: z.object({ username: text().optional(), action: text().optional(), after }),
    response: page(studioAuditEntry),
  }),
};
