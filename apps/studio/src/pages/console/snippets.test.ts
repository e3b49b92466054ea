import { expect, it } from "vitest";
import type { RestRequest } from "./consoleRequest.ts";
import { toCurl, toJavaScript } from "./snippets.ts";

const ORIGIN = "https://api.example.org";
const READ: RestRequest = {
  kind: "rest",
  method: "GET",
  path: '/classes/Note?where={"a":1}',
  body: "",
  as: "",
};

it("toCurl() quotes for a shell, and refers to keys by variables", () => {
  expect(toCurl(READ, ORIGIN)).toBe(
    `curl 'https://api.example.org/server/classes/Note?where={"a":1}' \\
  -H "X-Parse-Application-Id: $PURSE_APP_ID" \\
  -H "X-Parse-Master-Key: $MASTER_KEY"`,
  );
  const write = toCurl(
    { ...READ, method: "POST", path: "/classes/Note", body: `{"t":"it's"}`, as: "u1" },
    ORIGIN,
  );
  expect(write).toContain("curl -X POST 'https://api.example.org/server/classes/Note'");
  expect(write).toContain(`-d '{"t":"it'\\''s"}'`);
  expect(write).toContain("X-Parse-Session-Token: $SESSION_TOKEN");
  expect(write).not.toContain("Master");
});

it("toJavaScript() sends neither key nor token for anonymous requests", () => {
  const text = toJavaScript(
    { kind: "graphql", query: "{ health }", variables: '{"n":1}', as: "anonymous" },
    ORIGIN,
  );
  expect(text).toContain('fetch("https://api.example.org/graphql"');
  expect(text).toContain('"X-Parse-Application-Id": process.env.PURSE_APP_ID');
  expect(text).toContain('"query": "{ health }"');
  expect(text).not.toMatch(/Master|Session/);
});
