// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// An ERC-20 whose name is not UTF-8 and whose symbol has 100,000 bytes. Everyone holds the total supply.
contract HostileName {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint8 public constant decimals = 255;
    uint256 public constant totalSupply = type(uint256).max;

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function balanceOf(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function name() external pure returns (string memory) {
        return string(bytes(hex"ff3c623e00c080eda080e280aefe"));
    }

    function symbol() external pure returns (string memory) {
        bytes memory long = new bytes(100_000);
        assembly {
            let end := add(add(long, 32), 100000)
            for { let at := add(long, 32) } lt(at, end) { at := add(at, 32) } {
                mstore(at, "SPAMSPAMSPAMSPAMSPAMSPAMSPAMSPAM")
            }
        }
        return string(long);
    }
}
