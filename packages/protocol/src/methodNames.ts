/** The names of well-known functions of contracts with their selectors: those that the web app decodes, and some more. */
const SELECTORS_BY_NAME = `
transfer a9059cbb
approve 095ea7b3
transferFrom 23b872dd
increaseAllowance 39509351
decreaseAllowance a457c2d7
permit d505accf
mint 40c10f19 6a627842 a0712d68 156e29f6 d3fc9864 88316456 1249c58b
mintBatch d81d0a15
burn 42966c68 f5298aca
burnFrom 79cc6790
safeMint 40d097c3 a1448194
safeTransferFrom 42842e0e b88d4fde f242432a
safeBatchTransferFrom 2eb2c2d6
setApprovalForAll a22cb465
deposit d0e30db0 b6b55f25 6e553f65
withdraw 2e1a7d4d 3ccfd60b b460af94 69328dec
transferOwnership f2fde38b
renounceOwnership 715018a6
grantRole 2f2ff15d
revokeRole d547741f
upgradeTo 3659cfe6
upgradeToAndCall 4f1ef286
addLiquidity e8e33700
addLiquidityETH f305d719
removeLiquidity baa2abde
removeLiquidityETH 02751cec
swapExactTokensForTokens 38ed1739
swapTokensForExactTokens 8803dbee
swapExactETHForTokens 7ff36ab5
swapTokensForExactETH 4a25d94a
swapExactTokensForETH 18cbafe5
swapETHForExactTokens fb3bdb41
swapExactTokensForTokensSupportingFeeOnTransferTokens 5c11d795
swapExactETHForTokensSupportingFeeOnTransferTokens b6f9de95
swapExactTokensForETHSupportingFeeOnTransferTokens 791ac947
exactInputSingle 414bf389 04e45aaf
exactInput c04b8d59
exactOutputSingle db3e2198
exactOutput f28c0498
execute 3593564c 24856bc3 9a1fc3a7
multicall ac9650d8 5ae401dc
aggregate3 82ad56cb
execTransaction 6a761202
setSubnodeOwner 06ab5923
setResolver 1896f70a
setAddr d5fa2b00
setName 77372213
setText 10f13a8c
commit f14fcbc8
register 74694a2b
sell e4849b32
buy d96a094a
claim 4e71d92d 1e83409a
stake a694fc3a
unstake 2e17de78
delegate 5c19a95c
castVote 56781388
pause 8456cb59
unpause 3f4ba83a
initialize 8129fc1c
aggregate 252dba42
tryAggregate bce38bd7
handleOps 1fad948c
renew acf1a841
name 06fdde03
symbol 95d89b41
decimals 313ce567
totalSupply 18160ddd
balanceOf 70a08231 00fdd58e
balanceOfBatch 4e1273f4
allowance dd62ed3e
nonces 7ecebe00
ownerOf 6352211e
tokenURI c87b56dd
uri 0e89341c
getApproved 081812fc
isApprovedForAll e985e9c5
royaltyInfo 2a55205a
supportsInterface 01ffc9a7
owner 8da5cb5b
hasRole 91d14854
onERC721Received 150b7a02
onERC1155Received f23a6e61
onERC1155BatchReceived bc197c81
isValidSignature 1626ba7e
implementation 5c60da1b
getReserves 0902f1ac
token0 0dfe1681
token1 d21220a7
getPair e6a43905
getPool 1698ee82
slot0 3850c7bd
sync fff6cae9
skim bc25cf77
swap 022c0d9f 128acb08
uniswapV2Call 10d1e85c
uniswapV3SwapCallback fa461e33
uniswapV3MintCallback d3487997
resolver 0178b8bf
addr 3b3b57de
latestAnswer 50d25bcd
latestRoundData feaf968c
validateUserOp 3a871cdd
fulfillBasicOrder fb0f3ee1
fulfillBasicOrder_efficient_6GL6yc 00000000
fulfillOrder b3a34c4c
fulfillAdvancedOrder e7acab24
fulfillAvailableOrders ed98a574
fulfillAvailableAdvancedOrders 87201b41
matchOrders a8174404
matchAdvancedOrders f2d12b12
cancel fd9f1e10
validate 88147732
incrementCounter 5b34b966
matchAskWithTakerBid 38e29209
matchAskWithTakerBidUsingETHAndWETH b4e4b296
matchBidWithTakerAsk 3b6d032e
cancelAllOrdersForSender cbd2ec65
cancelMultipleMakerOrders 9e53a69a
executeTakerBid 8585ae03
executeTakerAsk e72853e1
bulkExecute b3be57f8
buyPunk 8264fe98
offerPunkForSale c44193c3
enterBidForPunk 091dbfd2
acceptBidForPunk 23165b75
transferPunk 8b72a2ec
depositETH 474cf53d
supply 617ba037
redeem db006a75 ba087652
borrow a415bcad
repay 573ade81
exit e9fad8ee
getReward 3d18b912
harvest 4641257d
`;

let names: ReadonlyMap<string, string> | undefined;

/** The name of the function that call data calls, otherwise its selector; undefined if the data has none. */
export function methodOf(input: string): string | undefined {
  if (input.length < 10) return undefined;
  names ??= new Map(
    SELECTORS_BY_NAME.trim()
      .split("\n")
      .flatMap((line) => {
        const [name = "", ...selectors] = line.split(" ");
        return selectors.map((selector): [string, string] => [`0x${selector}`, name]);
      }),
  );
  const selector = input.slice(0, 10).toLowerCase();
  return names.get(selector) ?? selector;
}
