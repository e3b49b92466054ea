import type { Attack } from "./attack.ts";
import { SHAPES, type Shape } from "./shapes.ts";
import { applicationHeaders, type HostileRequest, type Target } from "./target.ts";

/** A route for JSON: creates the request that contains a value. */
interface JsonRoute {
  name: string;
  /** Maximum size of a body, in bytes. */
  maxBytes: number;
  request(value: string, shape: Shape, target: Target): HostileRequest;
}

const MB = 1024 * 1024;
/** A little below the server's limits. */
const ANONYMOUS_MAX_BYTES = 4 * MB - 1_024;
const SIGNED_IN_MAX_BYTES = 20 * MB - 1_024;

const JSON_TYPE = { "Content-Type": "application/json" };
const TEXT_TYPE = { "Content-Type": "text/plain" };
const field = (shape: Shape, value: string) => `"${shape.type}":${value}`;
const id = (target: Target) => `"_ApplicationId":"${target.purse.appId}"`;
const session = (target: Target) => ({ "X-Parse-Session-Token": target.sessionToken });

const ROUTES: readonly JsonRoute[] = [
  {
    name: "save, application in a header",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, shape, target) => ({
      path: "/server/classes/Hostile",
      headers: applicationHeaders(target),
      body: `{${field(shape, value)}}`,
    }),
  },
  {
    name: "save, application in the body",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, shape, target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: `{${field(shape, value)},${id(target)}}`,
    }),
  },
  {
    name: "save of somebody who is signed in",
    maxBytes: SIGNED_IN_MAX_BYTES,
    request: (value, shape, target) => ({
      path: "/server/classes/Hostile",
      headers: applicationHeaders(target, session(target)),
      body: `{${field(shape, value)}}`,
    }),
  },
  {
    name: "update",
    maxBytes: SIGNED_IN_MAX_BYTES,
    request: (value, shape, target) => ({
      method: "PUT",
      path: `/server/classes/Hostile/${target.objectId}`,
      headers: applicationHeaders(target, session(target)),
      body: `{${field(shape, value)}}`,
    }),
  },
  {
    name: "save beyond what those without a session may send",
    maxBytes: SIGNED_IN_MAX_BYTES,
    request: (value, shape, target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: `{${field(shape, value)},${id(target)}}`,
    }),
  },
  {
    name: "wrong application in a header",
    maxBytes: SIGNED_IN_MAX_BYTES,
    request: (value, shape) => ({
      path: "/server/classes/Hostile",
      headers: { ...JSON_TYPE, "X-Parse-Application-Id": "wrong" },
      body: `{${field(shape, value)}}`,
    }),
  },
  {
    name: "wrong application in the body",
    maxBytes: SIGNED_IN_MAX_BYTES,
    request: (value, shape) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: `{${field(shape, value)},"_ApplicationId":"wrong"}`,
    }),
  },
  {
    name: "no application, a function",
    maxBytes: SIGNED_IN_MAX_BYTES,
    request: (value, shape) => ({
      path: "/server/functions/getServerTime",
      headers: JSON_TYPE,
      body: `{${field(shape, value)}}`,
    }),
  },
  {
    name: "function",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, shape, target) => ({
      path: "/server/functions/getServerTime",
      headers: applicationHeaders(target),
      body: `{${field(shape, value)}}`,
    }),
  },
  {
    name: "where by the overridden method",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, shape, target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: `{"_method":"GET","where":{${field(shape, value)}},${id(target)}}`,
    }),
  },
  {
    name: "where as a text",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, shape, target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: `{"_method":"GET","where":${JSON.stringify(`{${field(shape, value)}}`)},${id(target)}}`,
    }),
  },
  {
    name: "log-in",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, _shape, target) => ({
      path: "/server/login",
      headers: TEXT_TYPE,
      body: `{"username":${value},"password":${value},${id(target)}}`,
    }),
  },
  {
    name: "sign-up",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, _shape, target) => ({
      path: "/server/users",
      headers: TEXT_TYPE,
      body: `{"username":${value},"email":${value},"password":"p",${id(target)}}`,
    }),
  },
  {
    name: "sign-up by another service",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, _shape, target) => ({
      path: "/server/users",
      headers: TEXT_TYPE,
      body: `{"authData":{"anonymous":{"id":${value}},"moralisEth":${value}},${id(target)}}`,
    }),
  },
  {
    name: "installation",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, _shape, target) => ({
      path: "/server/installations",
      headers: TEXT_TYPE,
      body: `{"installationId":${value},"deviceType":"ios","channels":${value},${id(target)}}`,
    }),
  },
  {
    name: "role",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, _shape, target) => ({
      path: "/server/roles",
      headers: TEXT_TYPE,
      body: `{"name":${value},"ACL":${value},${id(target)}}`,
    }),
  },
  {
    name: "credentials",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, _shape, target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: `{"_SessionToken":${value},"_InstallationId":${value},"_context":${value},${id(target)}}`,
    }),
  },
  {
    name: "part of a batch",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, shape, target) => ({
      path: "/server/batch",
      headers: TEXT_TYPE,
      body: `{"requests":[{"method":"POST","path":"/server/classes/Hostile","body":{${field(shape, value)}}}],${id(target)}}`,
    }),
  },
  {
    name: "path of a batch",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, _shape, target) => ({
      path: "/server/batch",
      headers: TEXT_TYPE,
      body: `{"requests":[{"method":"GET","path":${value}}],${id(target)}}`,
    }),
  },
  {
    name: "settings, without the right",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, shape, target) => ({
      method: "PUT",
      path: "/server/config",
      headers: applicationHeaders(target),
      body: `{"params":{${field(shape, value)}}}`,
    }),
  },
  {
    name: "class, without the right",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, shape, target) => ({
      path: "/server/schemas/Made",
      headers: applicationHeaders(target),
      body: `{"fields":{${field(shape, value)}}}`,
    }),
  },
  {
    name: "sign-in of the studio",
    maxBytes: SIGNED_IN_MAX_BYTES,
    request: (value) => ({
      path: "/studio/api/session",
      headers: JSON_TYPE,
      body: `{"username":${value},"password":"p"}`,
    }),
  },
  {
    name: "set-up of the studio",
    maxBytes: SIGNED_IN_MAX_BYTES,
    request: (value) => ({ path: "/studio/api/setup", headers: JSON_TYPE, body: `{"code":${value}}` }),
  },
  {
    name: "call of a contract by the data API",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value) => ({
      path: "/api/v2/0x0000000000000000000000000000000000000001/function?chain=eth&function_name=f",
      headers: JSON_TYPE,
      body: `{"abi":${value},"params":${value}}`,
    }),
  },
  {
    name: "folder for the data API",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value) => ({ path: "/api/v2/ipfs/uploadFolder", headers: JSON_TYPE, body: value }),
  },
  {
    name: "event of an app",
    maxBytes: SIGNED_IN_MAX_BYTES,
    request: (value) => ({
      path: "/api/functions/trackEvent",
      headers: JSON_TYPE,
      body: `{"event":"e","options":${value}}`,
    }),
  },
  {
    name: "upload of old clients",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, _shape, target) => ({
      path: "/server/files/a.txt",
      headers: TEXT_TYPE,
      body: `{"base64":"YQ==","fileData":{"metadata":${value}},${id(target)}}`,
    }),
  },
  {
    name: "content of an upload of old clients",
    maxBytes: ANONYMOUS_MAX_BYTES,
    request: (value, _shape, target) => ({
      path: "/server/files/a.txt",
      headers: TEXT_TYPE,
      body: `{"base64":${value},${id(target)}}`,
    }),
  },
];

/** Every shape by every route: at the maximum body size, and near the maximum number of values. */
export function bodyAttacks(): Attack[] {
  return ROUTES.flatMap((route) =>
    SHAPES.flatMap((shape) =>
      SIZES.map(
        (size): Attack => ({
          generator: `${shape.name}, ${size.name}`,
          route: route.name,
          isShort: isInShortRun(route, shape) && size.isShort,
          async run(target, random) {
            const value = shape.make(Math.min(size.bytes, route.maxBytes - 1_024), random);
            return [await target.send(route.request(value, shape, target))];
          },
        }),
      ),
    ),
  );
}

const SIZES = [
  { name: "the most that is taken", bytes: SIGNED_IN_MAX_BYTES, isShort: true },
  // These contain about the maximum number of small values.
  { name: "280 kB", bytes: 280_000, isShort: true },
  { name: "85 kB", bytes: 85_000, isShort: false },
] as const;

/** The short run sends each of its shapes by every second of its routes. */
function isInShortRun(route: JsonRoute, shape: Shape): boolean {
  const [routeIndex, shapeIndex] = [SHORT_ROUTES.indexOf(route.name), SHORT_SHAPES.indexOf(shape.name)];
  return routeIndex >= 0 && shapeIndex >= 0 && (routeIndex + shapeIndex) % 2 === 0;
}

/** One for each body parser. */
const SHORT_ROUTES: readonly string[] = [
  "save, application in the body",
  "save of somebody who is signed in",
  "wrong application in the body",
  "no application, a function",
  "where as a text",
  "sign-in of the studio",
  "call of a contract by the data API",
];

/** The slowest ones before there were limits. */
const SHORT_SHAPES: readonly string[] = [
  "arrays in arrays",
  "distinct keys",
  "objects of distinct keys",
  "empty arrays",
  "whole numbers",
  "one long string",
  "escaped quotes",
];
