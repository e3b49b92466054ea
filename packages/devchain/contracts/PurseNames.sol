// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// A name registry (EIP-137) with the owner and resolver of each node.
contract PurseNames {
    event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner);
    event NewResolver(bytes32 indexed node, address resolver);

    mapping(bytes32 => address) public owner;
    mapping(bytes32 => address) public resolver;

    constructor() {
        owner[bytes32(0)] = msg.sender;
    }

    modifier onlyOwnerOf(bytes32 node) {
        require(owner[node] == msg.sender, "not the owner of the node");
        _;
    }

    function setSubnodeOwner(bytes32 node, bytes32 label, address newOwner)
        external
        onlyOwnerOf(node)
        returns (bytes32 subnode)
    {
        subnode = keccak256(abi.encodePacked(node, label));
        owner[subnode] = newOwner;
        emit NewOwner(node, label, newOwner);
    }

    function setResolver(bytes32 node, address newResolver) external onlyOwnerOf(node) {
        resolver[node] = newResolver;
        emit NewResolver(node, newResolver);
    }
}
