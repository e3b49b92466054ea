import { request } from "node:http";
import type { JsonObject } from "@purse/protocol";
import type { Purse } from "./purse.ts";
import { pointerTo } from "./readPaths.ts";

/** An object of somebody else, its owner, and an object that everybody may read. */
export interface OddTargets {
  object: { className: string; objectId: string; field: string; type: string };
  owner: { id: string; username: string };
  /** Has pointers to the object and to its owner. */
  holder: { className: string; objectId: string };
}

export interface OddRequest {
  method: string;
  /** As it is sent, which may be in an unusual spelling. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: JsonObject | JsonObject[];
}

const search = (params: JsonObject) =>
  `?${Object.entries(params)
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`,
    )
    .join("&")}`;
const globalId = (className: string, objectId: string) =>
  Buffer.from(`${className}:${objectId}`).toString("base64");

/** Requests in unusual spellings, with unusual keys and by roundabout ways, none of which may reach the object. */
export function oddRequests({ object, owner, holder }: OddTargets): [title: string, request: OddRequest][] {
  const { className, objectId, field, type } = object;
  const user = pointerTo({ className: "_User", objectId: owner.id });
  const name = `${type[0]?.toLowerCase()}${type.slice(1)}`;
  const own = `/server/classes/${className}/${objectId}`;
  const H = `/server/classes/${holder.className}`;
  const get = (path: string, headers?: OddRequest["headers"]): OddRequest => ({
    method: "GET",
    path,
    ...(headers && { headers }),
  });
  const find = (where: JsonObject, of = H): OddRequest => get(`${of}${search({ where })}`);
  const post = (
    path: string,
    body: OddRequest["body"] = {},
    headers?: OddRequest["headers"],
  ): OddRequest => ({
    method: "POST",
    path,
    body,
    ...(headers && { headers }),
  });
  const put = (path: string, body: JsonObject): OddRequest => ({ method: "PUT", path, body });
  const graphql = (query: string) => post("/graphql", { query });
  const letter = `%${className.charCodeAt(0).toString(16)}${className.slice(1)}`;
  const batch = (requests: [method: string, path: string][], more: JsonObject = {}) =>
    post("/server/batch", {
      requests: requests.map(([method, path]) => ({ method, path, body: { [field]: "changed", n: 99 } })),
      ...more,
    });
  return [
    ["a letter of its class encoded", get(`/server/classes/${letter}/${objectId}`)],
    ["dots in the path", get(`${H}/../${className}/${objectId}`)],
    ["encoded dots in the path", get(`${H}/%2e%2e/${className}/${objectId}`)],
    ["double slashes", get(`//server//classes//${className}//${objectId}`)],
    ["the path of another server", get(`/1/classes/${className}/${objectId}`)],
    ["a slash at the end", get(`${own}/`)],
    ["a parameter in the path", get(`/server/classes/${className};a=b/${objectId}`)],
    ["a URL as the path", get(`http://127.0.0.1${own}`)],
    ["HEAD", { method: "HEAD", path: own }],
    ["a method in lower case", post(own, { _method: "get" })],
    ["a method in a header", post(own, {}, { "X-HTTP-Method-Override": "GET" })],
    ["an empty master key", get(own, { "X-Parse-Master-Key": "" })],
    ["an empty maintenance key", get(own, { "X-Parse-Maintenance-Key": "" })],
    ["the word undefined as the maintenance key", get(own, { "X-Parse-Maintenance-Key": "undefined" })],
    ["a condition as the master key", post(own, { _method: "GET", _MasterKey: { $ne: "" } })],
    ["a list as the session token", post(own, { _method: "GET", _SessionToken: ["r:1"] })],
    [
      "a batch of paths in many spellings",
      batch([
        ["GET", own],
        ["GET", own.slice(1)],
        ["GET", own.replace("/classes", "//classes")],
        ["GET", `/server/classes/${letter}/${objectId}`],
        ["GET", `${H}/../${className}/${objectId}`],
        ["GET", `http://127.0.0.1${own}`],
        ["GET", `/server/users/${owner.id}`],
        ["GET", `/server/sessions${search({ where: { user } })}`],
      ]),
    ],
    [
      "a batch of changes in many spellings",
      batch([
        ["put", own],
        ["PATCH", own],
        ["PUT", `${own}/`],
        ["PUT", `${own}?a=b`],
        ["PUT", `/server/classes/${letter}/${objectId}`],
        ["POST", own],
        ["DELETE", `${own}?a=b`],
      ]),
    ],
    ["a batch as a transaction", batch([["PUT", own]], { transaction: true })],
    ["users by the hash of the password", find({ _hashed_password: { $exists: true } }, "/server/users")],
    ["users by a token", find({ _perishable_token: { $exists: true } }, "/server/users")],
    ["users in the order of the hash", get(`/server/users${search({ order: "_hashed_password" })}`)],
    ["users by the beginning of the address", find({ email: { $regex: "^ada" } }, "/server/users")],
    [
      "the owner with some keys",
      get(`/server/users/${owner.id}${search({ keys: "email,username,sessionToken" })}`),
    ],
    [
      "the name of a user by a pointer",
      find({ ptr: { $inQuery: { className: "_User", where: { username: owner.username } } } }),
    ],
    ["a path through a pointer", find({ [`ptr.${field}`]: { $exists: true } })],
    ["an order through a pointer", get(`${H}${search({ order: `ptr.${field}`, keys: "targetId" })}`)],
    ["a session for its owner", post("/server/sessions", { user, sessionToken: `r:${"1".repeat(32)}` })],
    [
      "a session for its owner by the class",
      post("/server/classes/_Session", { user, restricted: false, sessionToken: `r:${"1".repeat(32)}` }),
    ],
    ["its owner in the session", put("/server/sessions/me", { user })],
    [
      "its owner as a new user",
      post("/server/users", { objectId: owner.id, username: "planted", password: "correct horse" }),
    ],
    [
      "its owner as a new object",
      post("/server/classes/_User", { objectId: owner.id, username: "planted", password: "correct horse" }),
    ],
    [
      "another sign-in of its owner",
      put(`/server/users/${owner.id}`, { authData: { anonymous: { id: "planted" } } }),
    ],
    ["members of roles", get("/server/classes/_Join:users:_Role")],
    ["members of roles, encoded", get("/server/classes/_Join%3Ausers%3A_Role")],
    ["what relates to it", find({ $relatedTo: { object: pointerTo(object), key: "rel" } })],
    ["its ID as a list", find({ ptr: { $in: [pointerTo(object)] } }, `/server/classes/${className}`)],
    [
      "a node",
      graphql(`{ node(id: "${globalId(className, objectId)}") { id ... on ${type} { ${field} } } }`),
    ],
    ["a node of another class", graphql(`{ node(id: "${globalId(holder.className, objectId)}") { id } }`)],
    [
      "a node without padding",
      graphql(
        `{ node(id: "${globalId(className, objectId).replace(/=+$/, "")}") { id ... on ${type} { ${field} } } }`,
      ),
    ],
    ["a field in its global ID", graphql(`{ ${name}(id: "${globalId(className, objectId)}") { ${field} } }`)],
    [
      "aliases and fragments",
      graphql(`{ a: ${name}s { ...F } } fragment F on ${type}Connection { edges { node { b: ${field} } } }`),
    ],
    [
      "GraphQL by GET",
      get(`/graphql${search({ query: `{ ${name}s { count edges { node { ${field} } } } }` })}`),
    ],
    [
      "GraphQL with an update by a global ID",
      graphql(
        `mutation { update${type}(input: { id: "${globalId(className, objectId)}", fields: { ${field}: "changed" } }) { ${name} { ${field} } } }`,
      ),
    ],
    [
      "GraphQL with an update and a deletion",
      graphql(
        `mutation { a: update${type}(input: { id: "${objectId}", fields: { n: 99 } }) { clientMutationId } b: delete${type}(input: { id: "${objectId}" }) { clientMutationId } }`,
      ),
    ],
    [
      "GraphQL with a class",
      graphql(`mutation { deleteClass(input: { name: "${className}" }) { clientMutationId } }`),
    ],
  ];
}

/** Sends a request as it is: clients resolve paths before. */
export function sendOdd(
  { port, appId }: Purse,
  keys: Readonly<Record<string, string>>,
  { method, path, headers, body }: OddRequest,
): Promise<{ status: number; text: string }> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        headers: {
          "X-Parse-Application-Id": appId,
          "Content-Type": "application/json",
          ...(text !== undefined && { "Content-Length": String(Buffer.byteLength(text)) }),
          ...keys,
          ...headers,
        },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      },
    );
    sent.once("error", reject);
    sent.end(text);
  });
}
