// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Resolves names through a gateway (ENSIP-10, EIP-3668). For tests, anyone can set its URL.
contract PurseOffchain {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

    string[] private urls;

    function setUrl(string calldata url) external {
        delete urls;
        urls.push(url);
    }

    function resolve(bytes calldata, bytes calldata data) external view returns (bytes memory) {
        revert OffchainLookup(address(this), urls, data, this.resolveWithProof.selector, abi.encode(keccak256(data)));
    }

    /// The gateway returns the hash of the request and an address.
    function resolveWithProof(bytes calldata response, bytes calldata extraData) external pure returns (bytes memory) {
        (bytes32 asked, address a) = abi.decode(response, (bytes32, address));
        require(asked == abi.decode(extraData, (bytes32)), "an answer to another question");
        return abi.encode(a);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x9061b923;
    }
}
