import { Query, Web3API } from "@purse/client";
import { afterEach, expect, it, vi } from "vitest";
import { hasRecords, hasSentCoins } from "./completedSteps.ts";

const OWN = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const OTHER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

vi.mock("@purse/client", () => ({ Web3API: { account: { getTransactions: vi.fn() } }, Query: vi.fn() }));

interface Sent {
  from_address: string;
  to_address: string | null;
  value: string;
  receipt_status: string;
}

const sent: Sent = { from_address: OWN, to_address: OTHER, value: "1", receipt_status: "1" };

function answerWith(transactions: unknown, records: unknown) {
  const answer = (value: unknown) => async () => {
    if (value instanceof Error) throw value;
    return value;
  };
  vi.mocked(Web3API.account.getTransactions).mockImplementation(
    Object(answer(transactions instanceof Error ? transactions : { result: transactions })),
  );
  vi.mocked(Query).mockImplementation(
    Object(function FakeQuery() {
      return { first: answer(records) };
    }),
  );
}

const signal = new AbortController().signal;
const sentBy = (address: string) =>
  hasSentCoins({ address, chain: "0x7a69" }, Date.parse("2026-11-20T10:00:00Z"), { signal });

afterEach(() => vi.clearAllMocks());

it("hasSentCoins() finds coins that the wallet has sent since its user was created", async () => {
  answerWith([sent], undefined);
  expect(await sentBy(OWN.toUpperCase().replace("0X", "0x"))).toBe(true);
  expect(vi.mocked(Web3API.account.getTransactions).mock.calls[0]?.[0]).toMatchObject({
    address: OWN,
    from_date: "2026-11-20T10:00:00.000Z",
  });
});

it.each<[string, Partial<Sent>]>([
  ["received coins", { from_address: OTHER, to_address: OWN }],
  ["coins sent to itself", { to_address: OWN }],
  ["a call without coins", { value: "0" }],
  ["a deployment", { to_address: null }],
  ["a reverted transaction", { receipt_status: "0" }],
])("hasSentCoins() does not count %s", async (_what, change) => {
  answerWith([{ ...sent, ...change }], undefined);
  expect(await sentBy(OWN)).toBe(false);
});

it("hasSentCoins() and hasRecords() reject if the server does not answer, so that nothing is claimed", async () => {
  answerWith(new Error("no node"), new Error("no access"));
  await expect(sentBy(OWN)).rejects.toThrow("no node");
  await expect(hasRecords({ signal })).rejects.toThrow("no access");
});

it("hasRecords() finds a record of the sample class", async () => {
  answerWith([], { id: "n1" });
  expect(await hasRecords({ signal })).toBe(true);
  answerWith([], undefined);
  expect(await hasRecords({ signal })).toBe(false);
});
