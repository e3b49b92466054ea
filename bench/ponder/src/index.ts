import { ponder } from "ponder:registry";
import { transfer } from "ponder:schema";

/** What all kinds of transfers have in common. */
function common({ id, log, block, transaction }, part = 0) {
  return {
    id: `${id}-${part}`,
    block: block.number,
    timestamp: block.timestamp,
    transaction: transaction.hash,
    token: log.address,
  };
}

ponder.on("Coin:Transfer", async ({ event, context }) => {
  const { from, to, value } = event.args;
  await context.db.insert(transfer).values({ ...common(event), from, to, amount: value });
});

ponder.on("Piece:Transfer", async ({ event, context }) => {
  const { from, to, tokenId } = event.args;
  await context.db.insert(transfer).values({ ...common(event), from, to, tokenId, amount: 1n });
});

ponder.on("Item:TransferSingle", async ({ event, context }) => {
  const { from, to, id, value } = event.args;
  await context.db.insert(transfer).values({ ...common(event), from, to, tokenId: id, amount: value });
});

ponder.on("Item:TransferBatch", async ({ event, context }) => {
  const { from, to, ids, values } = event.args;
  await context.db
    .insert(transfer)
    .values(ids.map((id, i) => ({ ...common(event, i), from, to, tokenId: id, amount: values[i] })));
});
