import type { Random } from "../random.ts";
import type { Attack } from "./attack.ts";
import { repeat } from "./requestAttack.ts";
import { SHAPES } from "./shapes.ts";
import { applicationHeaders, type HostileRequest, type Target } from "./target.ts";
import { ANY_WAY, WAYS } from "./ways.ts";

/** The most that those without a session may send, and about the most small values. */
const SIZES = [4 * 1024 * 1024 - 2_048, 280_000];
const BODY_SHAPES: readonly string[] = [
  "arrays in arrays",
  "distinct keys",
  "empty arrays",
  "one long string",
];

const LONG_QUERIES = [
  "a&".repeat(7_000),
  `where=${encodeURIComponent(`{"a":{"$in":[${"[],".repeat(1_200)}[]]}}`)}`,
  `${"x".repeat(14_000)}=1`,
];

function requestsOf(method: string, path: string, target: Target, random: Random): HostileRequest[] {
  const headers = applicationHeaders(target);
  if (method === "GET" || method === "HEAD" || method === "DELETE") {
    const separator = path.includes("?") ? "&" : "?";
    return [
      ...LONG_QUERIES.map((query) => ({ method, path: `${path}${separator}${query}`, headers })),
      { method, path, headers: { ...headers, "X-Parse-Session-Token": "r".repeat(14_000) } },
      { method, path: path.replace(/x$/, "%41".repeat(4_000)), headers },
    ];
  }
  return SHAPES.filter(({ name }) => BODY_SHAPES.includes(name)).flatMap((shape) =>
    SIZES.map((size) => ({
      method,
      path,
      headers,
      body: `{"a":${shape.make(size, random)}}`,
    })),
  );
}

/** Long queries, headers and bodies by every way of the table that reads a request. */
export function wayAttacks(): Attack[] {
  const ways = WAYS.flatMap(([each, tried]) => ("why" in tried ? [] : each));
  return ways.flatMap((way): Attack[] => {
    const [method = "", pattern = ""] = way.split(" ");
    if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(method)) return [];
    const path = pattern
      .replace(":className", "Hostile")
      .replace(/:\w*address\w*/g, `0x${"1".repeat(40)}`)
      .replace(/:\w+|\*/g, "x");
    return [
      {
        generator: way,
        route: ANY_WAY,
        async run(target, random) {
          const statuses: number[] = [];
          for (const request of requestsOf(method, path, target, random))
            statuses.push(await target.send(request));
          return statuses;
        },
      },
    ];
  });
}

/** How often each of the others calls while an attack lasts, at least. */
const MIN_ROUNDS = 3;

/** Functions that block the threads of cloud code, by one client, while others call functions and triggers and log in. */
export function cloudAttacks(): Attack[] {
  const attack = (generator: string, calls: (target: Target) => Promise<unknown>): Attack => ({
    generator,
    route: "cloud code",
    answersOthers: true,
    prepare: prepareOthers,
    async run(target) {
      let isOver = false;
      const attacked = calls(target).finally(() => {
        isOver = true;
      });
      const statuses: number[] = [];
      for (let round = 0; round < MIN_ROUNDS || !isOver; round++) {
        statuses.push(...(await Promise.all(othersOf(target).map((each) => target.send(each)))));
      }
      await attacked;
      return statuses;
    },
  });
  return [
    attack("an endless loop four times", async (target) => {
      for (let i = 0; i < 4; i++) await target.send(call(target, "spin"));
    }),
    attack("a slow regular expression four times", async (target) => {
      for (let i = 0; i < 4; i++) await target.send(call(target, "match", { text: `${"a".repeat(41)}!` }));
    }),
    attack("20 callers of a function of 300 ms", (target) =>
      Promise.all(
        repeat(20, async () => {
          for (let i = 0; i < 3; i++) await target.send(call(target, "busy", { ms: 300 }));
        }),
      ),
    ),
  ];
}

/** As a user, who is a client of their own although the address is the same. */
function call(target: Target, name: string, params: object = {}): HostileRequest {
  return {
    path: `/server/functions/${name}`,
    headers: applicationHeaders(target, { "X-Parse-Session-Token": target.sessionToken }),
    body: JSON.stringify(params),
  };
}

const OTHER = { username: "other", password: "a password of another user" };

async function prepareOthers(target: Target): Promise<void> {
  await target.send({
    path: "/server/users",
    headers: applicationHeaders(target),
    body: JSON.stringify(OTHER),
  });
}

/** What clients without a session do. */
function othersOf(target: Target): HostileRequest[] {
  const headers = applicationHeaders(target);
  return [
    { path: "/server/functions/hello", headers, body: "{}" },
    { path: "/server/classes/Guarded", headers, body: '{"n":1}' },
    { path: "/server/login", headers, body: JSON.stringify(OTHER) },
  ];
}
