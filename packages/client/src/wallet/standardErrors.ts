import type { Abi } from "viem";

/** Errors of contracts whose ABI is unknown: those of ERC-6093, and of OpenZeppelin Contracts 5. */
const SIGNATURES = [
  "ERC20InsufficientBalance(address,uint256,uint256)",
  "ERC20InvalidSender(address)",
  "ERC20InvalidReceiver(address)",
  "ERC20InsufficientAllowance(address,uint256,uint256)",
  "ERC20InvalidApprover(address)",
  "ERC20InvalidSpender(address)",
  "ERC721InvalidOwner(address)",
  "ERC721NonexistentToken(uint256)",
  "ERC721IncorrectOwner(address,uint256,address)",
  "ERC721InvalidSender(address)",
  "ERC721InvalidReceiver(address)",
  "ERC721InsufficientApproval(address,uint256)",
  "ERC721InvalidApprover(address)",
  "ERC721InvalidOperator(address)",
  "ERC1155InsufficientBalance(address,uint256,uint256,uint256)",
  "ERC1155InvalidSender(address)",
  "ERC1155InvalidReceiver(address)",
  "ERC1155MissingApprovalForAll(address,address)",
  "ERC1155InvalidApprover(address)",
  "ERC1155InvalidOperator(address)",
  "ERC1155InvalidArrayLength(uint256,uint256)",
  "OwnableUnauthorizedAccount(address)",
  "OwnableInvalidOwner(address)",
  "AccessControlUnauthorizedAccount(address,bytes32)",
  "AccessControlBadConfirmation()",
  "EnforcedPause()",
  "ExpectedPause()",
  "ReentrancyGuardReentrantCall()",
  "InvalidInitialization()",
  "NotInitializing()",
  "SafeERC20FailedOperation(address)",
  "SafeERC20FailedDecreaseAllowance(address,uint256,uint256)",
  "AddressEmptyCode(address)",
  "FailedCall()",
  "InsufficientBalance(uint256,uint256)",
  "ERC2612ExpiredSignature(uint256)",
  "ERC2612InvalidSigner(address,address)",
  "InvalidAccountNonce(address,uint256)",
  "ECDSAInvalidSignature()",
  "ECDSAInvalidSignatureLength(uint256)",
  "ECDSAInvalidSignatureS(bytes32)",
  "ERC1967InvalidImplementation(address)",
  "UUPSUnauthorizedCallContext()",
  "ERC4626ExceededMaxDeposit(address,uint256,uint256)",
  "ERC4626ExceededMaxMint(address,uint256,uint256)",
  "ERC4626ExceededMaxWithdraw(address,uint256,uint256)",
  "ERC4626ExceededMaxRedeem(address,uint256,uint256)",
];

export const STANDARD_ERRORS: Abi = SIGNATURES.map((signature) => {
  const [name = "", types = ""] = signature.slice(0, -1).split("(");
  const inputs = types === "" ? [] : types.split(",").map((type) => ({ name: "", type }));
  return { type: "error", name, inputs };
});
