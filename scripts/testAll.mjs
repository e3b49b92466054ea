// `npm run test:all -- [FILE…]`: like `npm test`, with all cases, of which `npm test` takes some of each kind.
process.env.PURSE_TESTS = "all";
await import("./test.mjs");
