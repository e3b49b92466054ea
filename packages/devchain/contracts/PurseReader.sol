// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Returns records of names by token id, like the ProxyReader of Unstoppable Domains.
contract PurseReader {
    address private immutable maker = msg.sender;
    mapping(uint256 => mapping(string => string)) private records;

    function set(string calldata key, string calldata value, uint256 tokenId) external {
        require(msg.sender == maker, "not the maker");
        records[tokenId][key] = value;
    }

    function getMany(string[] calldata keys, uint256 tokenId) external view returns (string[] memory values) {
        values = new string[](keys.length);
        for (uint256 i = 0; i < keys.length; i++) values[i] = records[tokenId][keys[i]];
    }
}
