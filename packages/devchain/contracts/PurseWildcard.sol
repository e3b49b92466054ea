// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Resolves all subnames (ENSIP-10); the address is derived from the first label.
contract PurseWildcard {
    function resolve(bytes calldata name, bytes calldata data) external pure returns (bytes memory) {
        require(bytes4(data[:4]) == 0x3b3b57de, "only addresses");
        bytes calldata label = name[1:1 + uint8(name[0])];
        return abi.encode(address(uint160(uint256(keccak256(label)))));
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x9061b923;
    }
}
