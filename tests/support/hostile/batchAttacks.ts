import type { JsonValue } from "@purse/protocol";
import { type RequestAttack, repeat, TEXT_TYPE } from "./requestAttack.ts";
import { enveloped, type HostileRequest, type Target } from "./target.ts";

const batch =
  (requests: JsonValue[]) =>
  (target: Target): HostileRequest => ({
    path: "/server/batch",
    headers: TEXT_TYPE,
    body: enveloped(target, { requests }),
  });

export const BATCHES: readonly RequestAttack[] = [
  {
    generator: "500 log-ins",
    make: batch(
      repeat(500, (i) => ({
        method: "POST",
        path: "/server/login",
        body: { username: `u${i}`, password: "p" },
      })),
    ),
  },
  {
    generator: "500 sign-ups",
    make: batch(
      repeat(500, (i) => ({
        method: "POST",
        path: "/server//classes/%5FUser/",
        body: { username: `u${i}`, password: "p" },
      })),
    ),
  },
  {
    generator: "500 functions",
    make: batch(repeat(500, () => ({ method: "POST", path: "/server/functions/getServerTime", body: {} }))),
  },
  {
    generator: "500 resets of passwords",
    make: batch(
      repeat(500, (i) => ({
        method: "POST",
        path: "/server/requestPasswordReset",
        body: { email: `u${i}@example.org` },
      })),
    ),
  },
  {
    generator: "500 saves",
    make: batch(
      repeat(500, (i) => ({ method: "POST", path: "/server/classes/Hostile", body: { number: i } })),
    ),
  },
  {
    generator: "500 questions with patterns",
    make: batch(
      repeat(500, (i) => ({
        method: "GET",
        path: "/server/classes/Probe",
        body: { where: { text: { $regex: `(a|b){1,400}${i}` } } },
      })),
    ),
  },
  {
    generator: "500 questions with long queries",
    make: batch(
      repeat(500, () => ({ method: "GET", path: `/server/classes/Probe?${"a=1&".repeat(1_500)}`, body: {} })),
    ),
  },
  { generator: "29,000 requests", make: batch(repeat(29_000, () => ({}))) },
  {
    generator: "10 log-ins, 20 times at a time",
    isShort: false,
    isConcurrent: true,
    make: (target) =>
      repeat(20, () =>
        batch(
          repeat(10, (i) => ({
            method: "POST",
            path: "/server/login",
            body: { username: `u${i}`, password: "p" },
          })),
        )(target),
      ),
  },
];
