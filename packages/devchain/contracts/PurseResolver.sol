// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Resolves names to addresses (EIP-137) and addresses to names (EIP-181). The deployer sets the records.
contract PurseResolver {
    event AddrChanged(bytes32 indexed node, address a);
    event NameChanged(bytes32 indexed node, string name);

    address private immutable maker = msg.sender;
    mapping(bytes32 => address) public addr;
    mapping(bytes32 => string) public name;

    modifier onlyMaker() {
        require(msg.sender == maker, "not the maker");
        _;
    }

    function setAddr(bytes32 node, address a) external onlyMaker {
        addr[node] = a;
        emit AddrChanged(node, a);
    }

    function setName(bytes32 node, string calldata newName) external onlyMaker {
        name[node] = newName;
        emit NameChanged(node, newName);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x3b3b57de || id == 0x691f3431;
    }
}
