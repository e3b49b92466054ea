// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Logs transfers like an ERC-20, but all view functions revert.
contract HostileReverter {
    event Transfer(address indexed from, address indexed to, uint256 value);

    error Refused();

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function name() external pure returns (string memory) {
        revert Refused();
    }

    function symbol() external pure returns (string memory) {
        revert Refused();
    }

    function decimals() external pure returns (uint8) {
        revert Refused();
    }

    function balanceOf(address) external pure returns (uint256) {
        revert Refused();
    }
}
