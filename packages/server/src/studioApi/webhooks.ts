import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { newest, nothing, page, text } from "./fields.ts";

/** A request to the server of a function or trigger, without secrets. */
export const studioHookCall = z
  .object({
    id: z.string(),
    at: z.string(),
    hook: z.string().describe("The function's name, or `beforeSave.Note`"),
    url: z.string(),
    request: z.string().describe("The JSON body of the request"),
    answer: z.string().optional().describe("The response, possibly truncated"),
    status: z.int().optional(),
    ms: z.number(),
    error: z.string().optional().describe("Why the request failed or the response could not be read"),
    isReplay: z.boolean().describe("Whether an operator repeated the request"),
    isTest: z.boolean().describe("Whether an operator sent an example"),
  })
  .meta({ id: "StudioHookCall" });
export type StudioHookCall = z.infer<typeof studioHookCall>;

export const studioHook = z
  .object({
    url: z.string(),
    functionName: z.string().optional(),
    className: z.string().optional(),
    triggerName: z.string().optional(),
  })
  .describe("A webhook of a function, or of a trigger of a class")
  .meta({ id: "StudioHook" });
export type StudioHook = z.infer<typeof studioHook>;

/** How webhooks are called. */
export const studioHookSettings = z
  .object({
    isSigned: z.boolean().describe("Whether `webhookKey` is set, with which requests are signed"),
    timeoutMs: z.int().describe("Time limit of a call of a function or trigger, which is not repeated"),
    allowsPrivate: z.boolean().describe("Whether webhooks may have private addresses"),
    deliveries: z
      .object({ attempts: z.int(), timeoutMs: z.int(), firstDelayMs: z.int(), maxDelayMs: z.int() })
      .describe("How events of chains are sent; delays between attempts double"),
  })
  .meta({ id: "StudioHookSettings" });
export type StudioHookSettings = z.infer<typeof studioHookSettings>;

const url = z.object({ url: text() });

export const webhookEndpoints = {
  hooks: endpoint("GET", "/hooks", {
    needs: "readOnly",
    summary: "Webhooks",
    input: nothing,
    response: z.object({ functions: z.array(studioHook), triggers: z.array(studioHook) }),
  }),
  hookSettings: endpoint("GET", "/hooks/settings", {
    needs: "readOnly",
    summary: "How webhooks are called: signature, time limits, repetitions",
    input: nothing,
    response: studioHookSettings,
  }),
  revealHookKey: endpoint("POST", "/hooks/key", {
    needs: "owner",
    summary: "The key with which requests to webhooks are signed; 101 if there is none",
    input: nothing,
    response: z.object({ webhookKey: z.string() }),
  }),
  testHook: endpoint("POST", "/hooks/test", {
    needs: "editor",
    summary: "Sends an example to a webhook, which need not be added yet; the response is not used",
    input: studioHook,
    response: studioHookCall,
  }),
  addHook: endpoint("POST", "/hooks", {
    needs: "editor",
    summary: "Adds a webhook: `functionName` and `url`, or `className`, `triggerName` and `url`",
    input: studioHook.partial(),
    response: studioHook,
    status: 201,
  }),
  changeFunctionHook: endpoint("PUT", "/hooks/functions/:functionName", {
    needs: "editor",
    summary: "Changes the webhook of a function",
    input: url,
    response: studioHook,
  }),
  removeFunctionHook: endpoint("DELETE", "/hooks/functions/:functionName", {
    needs: "editor",
    summary: "Deletes the webhook of a function",
    input: nothing,
    response: nothing,
  }),
  changeTriggerHook: endpoint("PUT", "/hooks/triggers/:className/:triggerName", {
    needs: "editor",
    summary: "Changes the webhook of a trigger",
    input: url,
    response: studioHook,
  }),
  removeTriggerHook: endpoint("DELETE", "/hooks/triggers/:className/:triggerName", {
    needs: "editor",
    summary: "Deletes the webhook of a trigger",
    input: nothing,
    response: nothing,
  }),
};

export const webhookCallEndpoints = {
  hookCalls: endpoint("GET", "/hook-calls", {
    needs: "readOnly",
    summary: "Calls of function and trigger webhooks, without secrets",
    input: z.object({ outcome: z.enum(["answered", "failed"]).optional(), ...newest }),
    response: page(studioHookCall),
  }),
  replayCall: endpoint("POST", "/hook-calls/:id/replay", {
    needs: "editor",
    summary: "Repeats the request; the response is not used",
    input: nothing,
    response: studioHookCall,
  }),
};
