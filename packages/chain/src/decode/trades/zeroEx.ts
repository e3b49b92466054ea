import { parseAbi, toEventSelector } from "viem/utils";
import { NULL_ADDRESS, type RawLog, type TradeRow } from "../../model/rows.ts";
import { decodeStrict, saleRow } from "./sale.ts";

/** Events of the NFT orders of 0x v4. */
const events = parseAbi([
  "event ERC721OrderFilled(uint8 direction, address maker, address taker, uint256 nonce, address erc20Token, uint256 erc20TokenAmount, address erc721Token, uint256 erc721TokenId, address matcher)",
  "event ERC1155OrderFilled(uint8 direction, address maker, address taker, uint256 nonce, address erc20Token, uint256 erc20FillAmount, address erc1155Token, uint256 erc1155TokenId, uint128 erc1155FillAmount, address matcher)",
]);
export const ZERO_EX_TOPICS: ReadonlySet<string> = new Set(events.map((event) => toEventSelector(event)));

/** Direction of an order whose maker sells the NFT. */
const SELL = 0;
/** Stands for the native coin. */
const COIN = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/** Prices are without the fees, which the buyer pays in addition. */
export function zeroExTrades(log: RawLog): TradeRow[] {
  const event = decodeStrict(events, log);
  if (!event) return [];
  const { direction, maker, taker, erc20Token } = event.args;
  const [seller, buyer] = direction === SELL ? [maker, taker] : [taker, maker];
  const currency = erc20Token.toLowerCase() === COIN ? NULL_ADDRESS : erc20Token;
  const parties = { seller, buyer, currency };
  if (event.eventName === "ERC721OrderFilled") {
    const { erc721Token, erc721TokenId, erc20TokenAmount } = event.args;
    return saleRow(log, {
      ...parties,
      token: erc721Token,
      tokenIds: [erc721TokenId],
      price: erc20TokenAmount,
    });
  }
  const { erc1155Token, erc1155TokenId, erc20FillAmount } = event.args;
  return saleRow(log, {
    ...parties,
    token: erc1155Token,
    tokenIds: [erc1155TokenId],
    price: erc20FillAmount,
  });
}
