// `npm run test:all -- [FILE…]`: like `npm test`, with all cases on all databases. With `--rest` only what `npm test` leaves
// out, in its short forms: the nightly files, and PostgreSQL.
import { conclude, runTests } from "./test.mjs";

const args = process.argv.slice(2).filter((arg) => arg !== "--rest");
if (args.length === process.argv.length - 2) {
  process.env.PURSE_TESTS = "all";
  conclude([await runTests(args)]);
}
process.env.PURSE_TESTS = "rest";
const nightly = await runTests(args.length > 0 ? args : [".nightly."]);
process.env.PURSE_WITHOUT_NIGHTLY = "1";
const onPostgres = await runTests([
  ...["--project", "server", "--project", "alone", "-t", "PostgreSQL"],
  ...args,
]);
// Vitest counts each test of the other databases as skipped.
conclude([nightly, { ...onPostgres, skipped: 0 }]);
