/**
 * Functions and events of marketplaces in Solidity syntax: Seaport (OpenSea), LooksRare, Blur and
 * CryptoPunks.
 */
const SEAPORT = [
  "struct OfferItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; }",
  "struct ConsiderationItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; address recipient; }",
  "struct OrderParameters { address offerer; address zone; OfferItem[] offer; ConsiderationItem[] consideration; uint8 orderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 conduitKey; uint256 totalOriginalConsiderationItems; }",
  "struct OrderComponents { address offerer; address zone; OfferItem[] offer; ConsiderationItem[] consideration; uint8 orderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 conduitKey; uint256 counter; }",
  "struct Order { OrderParameters parameters; bytes signature; }",
  "struct AdvancedOrder { OrderParameters parameters; uint120 numerator; uint120 denominator; bytes signature; bytes extraData; }",
  "struct CriteriaResolver { uint256 orderIndex; uint8 side; uint256 index; uint256 identifier; bytes32[] criteriaProof; }",
  "struct FulfillmentComponent { uint256 orderIndex; uint256 itemIndex; }",
  "struct Fulfillment { FulfillmentComponent[] offerComponents; FulfillmentComponent[] considerationComponents; }",
  "struct AdditionalRecipient { uint256 amount; address recipient; }",
  "struct BasicOrderParameters { address considerationToken; uint256 considerationIdentifier; uint256 considerationAmount; address offerer; address zone; address offerToken; uint256 offerIdentifier; uint256 offerAmount; uint8 basicOrderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 offererConduitKey; bytes32 fulfillerConduitKey; uint256 totalOriginalAdditionalRecipients; AdditionalRecipient[] additionalRecipients; bytes signature; }",
  "struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
  "struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
  "function fulfillBasicOrder(BasicOrderParameters parameters)",
  "function fulfillBasicOrder_efficient_6GL6yc(BasicOrderParameters parameters)",
  "function fulfillOrder(Order order, bytes32 fulfillerConduitKey)",
  "function fulfillAdvancedOrder(AdvancedOrder advancedOrder, CriteriaResolver[] criteriaResolvers, bytes32 fulfillerConduitKey, address recipient)",
  "function fulfillAvailableOrders(Order[] orders, FulfillmentComponent[][] offerFulfillments, FulfillmentComponent[][] considerationFulfillments, bytes32 fulfillerConduitKey, uint256 maximumFulfilled)",
  "function fulfillAvailableAdvancedOrders(AdvancedOrder[] advancedOrders, CriteriaResolver[] criteriaResolvers, FulfillmentComponent[][] offerFulfillments, FulfillmentComponent[][] considerationFulfillments, bytes32 fulfillerConduitKey, address recipient, uint256 maximumFulfilled)",
  "function matchOrders(Order[] orders, Fulfillment[] fulfillments)",
  "function matchAdvancedOrders(AdvancedOrder[] orders, CriteriaResolver[] criteriaResolvers, Fulfillment[] fulfillments, address recipient)",
  "function cancel(OrderComponents[] orders)",
  "function validate(Order[] orders)",
  "function incrementCounter()",
  "event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
  "event OrdersMatched(bytes32[] orderHashes)",
  "event OrderCancelled(bytes32 orderHash, address indexed offerer, address indexed zone)",
  "event CounterIncremented(uint256 newCounter, address indexed offerer)",
];

const LOOKSRARE = [
  "struct TakerOrder { bool isOrderAsk; address taker; uint256 price; uint256 tokenId; uint256 minPercentageToAsk; bytes params; }",
  "struct MakerOrder { bool isOrderAsk; address signer; address collection; uint256 price; uint256 tokenId; uint256 amount; address strategy; address currency; uint256 nonce; uint256 startTime; uint256 endTime; uint256 minPercentageToAsk; bytes params; uint8 v; bytes32 r; bytes32 s; }",
  "function matchAskWithTakerBid(TakerOrder takerBid, MakerOrder makerAsk)",
  "function matchAskWithTakerBidUsingETHAndWETH(TakerOrder takerBid, MakerOrder makerAsk)",
  "function matchBidWithTakerAsk(TakerOrder takerAsk, MakerOrder makerBid)",
  "function cancelAllOrdersForSender(uint256 minNonce)",
  "function cancelMultipleMakerOrders(uint256[] orderNonces)",
  "event TakerAsk(bytes32 orderHash, uint256 orderNonce, address indexed taker, address indexed maker, address indexed strategy, address currency, address collection, uint256 tokenId, uint256 amount, uint256 price)",
  "event TakerBid(bytes32 orderHash, uint256 orderNonce, address indexed taker, address indexed maker, address indexed strategy, address currency, address collection, uint256 tokenId, uint256 amount, uint256 price)",
];

/** LooksRare version 2. */
const LOOKSRARE_2 = [
  "struct Nonce { bytes32 orderHash; uint256 orderNonce; bool isNonceInvalidated; }",
  "struct Taker { address recipient; bytes additionalParameters; }",
  "struct Maker { uint8 quoteType; uint256 globalNonce; uint256 subsetNonce; uint256 orderNonce; uint256 strategyId; uint8 collectionType; address collection; address currency; address signer; uint256 startTime; uint256 endTime; uint256 price; uint256[] itemIds; uint256[] amounts; bytes additionalParameters; }",
  "struct ProofNode { bytes32 value; uint8 position; }",
  "struct MerkleTree { bytes32 root; ProofNode[] proof; }",
  "function executeTakerBid(Taker takerBid, Maker makerAsk, bytes makerSignature, MerkleTree merkleTree, address affiliate)",
  "function executeTakerAsk(Taker takerAsk, Maker makerBid, bytes makerSignature, MerkleTree merkleTree, address affiliate)",
  "event TakerAsk(Nonce nonce, address askUser, address bidUser, uint256 strategyId, address currency, address collection, uint256[] itemIds, uint256[] amounts, address[2] feeRecipients, uint256[3] feeAmounts)",
  "event TakerBid(Nonce nonce, address bidUser, address bidRecipient, uint256 strategyId, address currency, address collection, uint256[] itemIds, uint256[] amounts, address[2] feeRecipients, uint256[3] feeAmounts)",
];

const BLUR = [
  "struct Fee { uint16 rate; address recipient; }",
  "struct BlurOrder { address trader; uint8 side; address matchingPolicy; address collection; uint256 tokenId; uint256 amount; address paymentToken; uint256 price; uint256 listingTime; uint256 expirationTime; Fee[] fees; uint256 salt; bytes extraParams; }",
  "struct Input { BlurOrder order; uint8 v; bytes32 r; bytes32 s; bytes extraSignature; uint8 signatureVersion; uint256 blockNumber; }",
  "struct Execution { Input sell; Input buy; }",
  "function execute(Input sell, Input buy)",
  "function bulkExecute(Execution[] executions)",
];

const PUNKS = [
  "function buyPunk(uint256 punkIndex)",
  "function offerPunkForSale(uint256 punkIndex, uint256 minSalePriceInWei)",
  "function enterBidForPunk(uint256 punkIndex)",
  "function acceptBidForPunk(uint256 punkIndex, uint256 minPrice)",
  "function transferPunk(address to, uint256 punkIndex)",
  "event PunkBought(uint256 indexed punkIndex, uint256 value, address indexed fromAddress, address indexed toAddress)",
];

export const MARKETPLACES: readonly string[] = [...SEAPORT, ...LOOKSRARE, ...LOOKSRARE_2, ...BLUR, ...PUNKS];
