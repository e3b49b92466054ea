import type { JsonValue } from "@purse/protocol";
import { many } from "./graphqlAttacks.ts";
import { type RequestAttack, repeat } from "./requestAttack.ts";
import { applicationHeaders, type HostileRequest, type Target } from "./target.ts";

/** About as many nodes as those without a session may send, in objects that have nothing in common. */
const distinctObjects = (count: number) => repeat(count, (i) => ({ [`k${i}`]: 1 }));
const distinctKeys = (count: number) => Object.fromEntries(repeat(count, (i) => [`k${i}`, i]));

const post =
  (path: string, body: JsonValue | ((i: number) => JsonValue), count = 1) =>
  (target: Target): HostileRequest[] =>
    repeat(count, (i) => ({
      path,
      headers: applicationHeaders(target),
      body: JSON.stringify(typeof body === "function" ? body(i) : body),
    }));
const signedIn =
  (make: (target: Target) => HostileRequest[]) =>
  (target: Target): HostileRequest[] =>
    make(target).map((request) => ({
      ...request,
      headers: { ...request.headers, "X-Parse-Session-Token": target.sessionToken },
    }));
const query = (params: Record<string, JsonValue>) => ({ _method: "GET", ...params });
const graphql = (operationOf: (i: number) => JsonValue, count: number): RequestAttack["make"] =>
  post("/graphql", operationOf, count);
const saves = (fieldsOf: JsonValue, count: number) => ({
  requests: repeat(count, () => ({ method: "POST", path: "/server/classes/Hostile", body: fieldsOf })),
});

/** Requests that are harmless alone, many at a time; and more shapes of single ones. */
export const CROWDS: readonly RequestAttack[] = (
  [
    ["64 saves of 60 kB of distinct keys", post("/server/classes/Hostile", { map: distinctKeys(4_500) }, 64)],
    [
      "20 saves of 19,000 distinct objects",
      post("/server/classes/Hostile", { list: distinctObjects(19_000) }, 20),
    ],
    [
      "8 saves of 29,000 distinct objects by somebody who is signed in",
      signedIn(post("/server/classes/Hostile", { list: distinctObjects(29_000) }, 8)),
    ],
    [
      "8 updates with 29,000 distinct objects by somebody who is signed in",
      (target) =>
        signedIn(post(`/server/classes/Hostile/${target.objectId}`, { list: distinctObjects(29_000) }, 8))(
          target,
        ).map((request) => ({ ...request, method: "PUT" })),
    ],
    ["a batch of 50 saves of 80 kB", post("/server/batch", saves({ text: "x".repeat(80_000) }, 50))],
    [
      "4 batches of 50 saves of 350 distinct objects",
      post("/server/batch", saves({ list: distinctObjects(350) }, 50), 4),
    ],
    [
      "10 batches of 50 finds by 700 texts",
      post(
        "/server/batch",
        {
          requests: repeat(50, (n) => ({
            method: "GET",
            path: "/server/classes/Hostile",
            body: { where: { text: { $in: repeat(700, (i) => `${n}-${i}`) } } },
          })),
        },
        10,
      ),
    ],
    [
      "20 finds by 10,000 texts",
      post(
        "/server/classes/Hostile",
        (n) => query({ where: { text: { $in: repeat(10_000, (i) => `${n}-${i}`) } } }),
        20,
      ),
    ],
    [
      "20 finds by 400 conditions on other paths each",
      post(
        "/server/classes/Hostile",
        (n) => query({ where: { $or: repeat(400, (i) => ({ [`map.p${n}x${i}`]: { $gt: i } })) } }),
        20,
      ),
    ],
    [
      "10 finds with 10,000 keys and includes",
      post(
        "/server/classes/Hostile",
        query({
          keys: repeat(10_000, (i) => `k${i}`).join(),
          include: repeat(10_000, (i) => `a${i}.b`).join(),
        }),
        10,
      ),
    ],
    [
      "10 finds with 900 keys of 100 characters",
      post(
        "/server/classes/Hostile",
        query({ keys: repeat(900, (i) => `k${i}${"x".repeat(95)}`).join() }),
        10,
      ),
    ],
    [
      "10 functions with 19,000 distinct objects",
      post("/server/functions/hello", { list: distinctObjects(19_000) }, 10),
    ],
    [
      "10 saves with a trigger of 19,000 distinct objects",
      post("/server/classes/Guarded", { list: distinctObjects(19_000) }, 10),
    ],
    [
      "an aggregation of 1,000 stages",
      post(
        "/server/aggregate/Hostile",
        query({ pipeline: repeat(1_000, (i) => ({ $match: { number: i } })) }),
        5,
      ),
    ],
    [
      "a function with a form of 10,000 parts",
      (target) => ({
        path: "/server/functions/hello",
        headers: applicationHeaders(target, { "Content-Type": "multipart/form-data; boundary=b" }),
        body: `${many(10_000, (i) => `--b\r\nContent-Disposition: form-data; name="f${i}"\r\n\r\nx\r\n`).replaceAll("\n --", "\n--")}--b--\r\n`,
      }),
    ],
    [
      "100 requests with 500 headers",
      (target) =>
        repeat(100, () => ({
          method: "GET",
          path: "/server/classes/Probe",
          headers: {
            ...applicationHeaders(target),
            ...Object.fromEntries(repeat(500, (i) => [`X-H-${i}`, "v"])),
          },
        })),
    ],
    [
      "100 requests with 900 cookies",
      (target) =>
        repeat(100, () => ({
          method: "GET",
          path: "/studio/api/session",
          headers: { ...applicationHeaders(target), Cookie: repeat(900, (i) => `c${i}=v`).join("; ") },
        })),
    ],
    [
      "100 files with names of 7 kB",
      (target) =>
        repeat(100, (i) => ({
          path: `/server/files/${"%C3%A4".repeat(1_100)}${i}.txt`,
          headers: applicationHeaders(target, { "Content-Type": "text/plain" }),
          body: "x",
        })),
    ],
    [
      "300 different conditions in one operation",
      graphql(
        (n) => ({
          query: `{ ${many(3, (i) => `a${i}: knots(first: 1) { edges { node { ${many(100, (j) => `b${j}: others(first: 1, where: { title: { notEqualTo: "t${n}x${i}x${j}" } }) { count }`)} } } }`)} }`,
        }),
        1,
      ),
    ],
    [
      "20 variables of 10,000 unknown keys",
      graphql(
        (n) => ({
          query: "query($w: KnotWhereInput) { knots(where: $w) { count } }",
          variables: { w: { [`n${n}`]: 1, ...distinctKeys(10_000) } },
        }),
        20,
      ),
    ],
    [
      "20 documents of fragments that contain each other",
      graphql(
        (n) => ({
          query: `{ a${n}: knot(id: "x") { ...F0 } } ${many(300, (i) => `fragment F${i} on Knot { title ...F${(i + 1) % 300} }`)}`,
        }),
        20,
      ),
    ],
    [
      "20 documents of 1,200 directives with variables",
      graphql(
        (n) => ({
          query: `query($v: Boolean!) { a${n}: knot(id: "x") { ${many(1_200, (i) => `t${i % 400}: title @include(if: $v)`)} } }`,
          variables: { v: true },
        }),
        20,
      ),
    ],
    [
      "10 objects created with 9,000 values",
      graphql(
        () => ({
          query: "mutation($i: CreateKnotInput!) { createKnot(input: $i) { knot { id } } }",
          variables: { i: { fields: { all: distinctObjects(9_000) } } },
        }),
        10,
      ),
    ],
    [
      "30 MCP messages of 9,000 values",
      (target) =>
        repeat(30, (i) => ({
          path: "/mcp",
          headers: {
            "Content-Type": "application/json",
            Accept: "application/json, text/event-stream",
            Authorization: `Bearer ${target.sessionToken}`,
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: i,
            method: "tools/call",
            params: { name: "query_objects", arguments: { className: "Knot", where: distinctKeys(4_500) } },
          }),
        })),
    ],
    [
      "a list of 1,000 MCP messages",
      (target) => ({
        path: "/mcp",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          Authorization: `Bearer ${target.sessionToken}`,
        },
        body: JSON.stringify(
          repeat(1_000, (id) => ({ jsonrpc: "2.0", id, method: "tools/list", params: {} })),
        ),
      }),
    ],
    [
      "200 session tokens that are not valid",
      (target) =>
        repeat(200, (i) => ({
          method: "GET",
          path: "/server/users/me",
          headers: applicationHeaders(target, {
            "X-Parse-Session-Token": `r:${String(i).padStart(32, "0")}`,
          }),
        })),
    ],
  ] satisfies [string, RequestAttack["make"]][]
).map(([generator, make]) => ({ generator: `${generator}, at a time`, isConcurrent: true, make }));
