import { ACCOUNTS } from "./accountAttacks.ts";
import type { Attack } from "./attack.ts";
import { BATCHES } from "./batchAttacks.ts";
import { connectionAttacks } from "./connectionAttacks.ts";
import { CROWDS } from "./crowdAttacks.ts";
import { FORMS, HEADERS } from "./formAttacks.ts";
import { graphOf } from "./graph.ts";
import { GRAPHQL } from "./graphqlAttacks.ts";
import { IMAGES, picturesOf } from "./imageAttacks.ts";
import { INCLUDES } from "./includeAttacks.ts";
import { LARGE } from "./largeAttacks.ts";
import { MCP } from "./mcpAttacks.ts";
import { OPERATIONS } from "./operationAttacks.ts";
import { QUERIES } from "./queryAttacks.ts";
import { attacksBy, type RequestAttack, repeat } from "./requestAttack.ts";
import { applicationHeaders } from "./target.ts";
import { FILE_UPLOADS, FORM_UPLOADS, RESUMABLE_UPLOADS } from "./uploadAttacks.ts";

const concurrentSaves =
  (count: number, size: number): RequestAttack["make"] =>
  (target) =>
    repeat(count, () => ({
      path: "/server/classes/Hostile",
      headers: applicationHeaders(target, { "X-Parse-Session-Token": target.sessionToken }),
      body: `{"text":"${"x".repeat(size)}"}`,
    }));

const CONCURRENT: readonly RequestAttack[] = [
  {
    generator: "20 saves of 19 MB at a time",
    isConcurrent: true,
    isShort: false,
    make: concurrentSaves(20, 19_000_000),
  },
  {
    generator: "40 saves of 4 MB at a time",
    isConcurrent: true,
    isShort: false,
    make: concurrentSaves(40, 3_900_000),
  },
  { generator: "200 saves of 60 kB at a time", isConcurrent: true, make: concurrentSaves(200, 60_000) },
];

/** Attacks by single requests of the Parse protocol. */
export function requestAttacks(): Attack[] {
  return [
    ...attacksBy("query", QUERIES),
    ...attacksBy("operation", OPERATIONS),
    ...attacksBy("large value", LARGE),
    ...attacksBy("account", ACCOUNTS),
    ...attacksBy("batch", BATCHES),
    ...attacksBy("form", FORMS),
    ...attacksBy("header", HEADERS),
    ...attacksBy("crowd", CONCURRENT),
    ...firstInTests(attacksBy("crowd", CROWDS, graphOf)),
    ...firstInTests(attacksBy("include", INCLUDES, graphOf)),
    ...firstInTests(attacksBy("GraphQL", GRAPHQL, graphOf)),
    ...firstInTests(attacksBy("GraphQL form", FORM_UPLOADS, graphOf)),
    ...firstInTests(attacksBy("file", FILE_UPLOADS)),
    ...attacksBy("image", IMAGES, picturesOf),
    ...firstInTests(attacksBy("MCP", MCP, graphOf)),
    ...connectionAttacks(),
    // Last: it uses up the uploads that one client may have open.
    ...firstInTests(attacksBy("resumable upload", RESUMABLE_UPLOADS)),
  ];
}

/** The tests send the first of a class of attacks; the command sends all of them. */
function firstInTests(attacks: readonly Attack[]): Attack[] {
  return attacks.map((attack, i) => ({ ...attack, isShort: i === 0 }));
}
