import { ErrorCode, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import { defineEndpoints, jsonObject } from "../core/http/endpoint.ts";
import { created, objectResponse } from "../core/http/objectEndpoints.ts";

export const userResponse = () =>
  objectResponse().extend({ sessionToken: z.string().optional() }).describe("The user").meta({ id: "User" });

const credentials = () =>
  z.object({
    username: z.string().optional(),
    email: z.string().optional().describe("Instead of `username`"),
    password: z.string(),
    authData: jsonObject()
      .optional()
      .describe("Second factor: `{ mfa: { token } }` or `{ mfa: { passkey } }`"),
  });
const byQuery = () => ({ query: credentials(), response: userResponse() });
const byBody = () => ({ body: credentials(), response: userResponse() });
const WRONG_PASSWORD = { 404: "Wrong username or password (101)" };

const signUp = {
  method: "POST",
  access: "everyone",
  summary: "Sign up, or sign in with `authData`",
  schemas: () => ({
    body: z.looseObject({
      username: z.string().optional(),
      password: z.string().optional(),
      email: z.string().optional(),
      authData: jsonObject().optional().describe("Identities by provider, instead of a password"),
    }),
    response: z.union([created().extend({ sessionToken: z.string() }), userResponse()]),
  }),
  status: 201,
  acceptsEndedSession: true,
  retry: "write",
} as const;
const password = { access: "everyone", errors: WRONG_PASSWORD, acceptsEndedSession: true } as const;

/**
 * Sign-up and sign-in. The schemas describe: what is missing or wrong is answered with the errors of Parse Server, such as
 * 200 for a username, 252 for a provider.
 */
export const USER_ENDPOINTS = defineEndpoints("Users and sessions", {
  signUp: { ...signUp, path: "/users" },
  signUpAsObject: { ...signUp, path: "/classes/_User" },
  logInByQuery: {
    ...password,
    method: "GET",
    path: "/login",
    summary: "Log in",
    schemas: byQuery,
    // A session whose token nobody receives would be of no use.
    head(): never {
      throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "/login does not take HEAD", 405);
    },
  },
  logIn: {
    ...password,
    method: "POST",
    path: "/login",
    summary: "Log in",
    schemas: byBody,
    retry: "again",
  },
  challenge: {
    ...password,
    method: "POST",
    path: "/challenge",
    summary: "Request challenges from sign-in providers",
    schemas: () => ({
      body: z.object({
        username: z.string().optional(),
        email: z.string().optional(),
        password: z.string().optional(),
        authData: jsonObject().optional().describe("One proof, instead of username and password"),
        challengeData: jsonObject().describe("By provider"),
      }),
      response: z.object({ challengeData: jsonObject().describe("The answers, by provider") }),
    }),
  },
  verifyPasswordByQuery: {
    ...password,
    method: "GET",
    path: "/verifyPassword",
    summary: "Check a password",
    schemas: byQuery,
  },
  verifyPassword: {
    ...password,
    method: "POST",
    path: "/verifyPassword",
    summary: "Check a password",
    schemas: byBody,
    retry: "again",
  },
});
