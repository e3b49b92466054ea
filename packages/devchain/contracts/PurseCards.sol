// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// A traded ERC-721 collection.
contract PurseCards is ERC721, Ownable {
    uint256 private minted;

    constructor() ERC721("Purse Cards", "CARD") Ownable(msg.sender) {}

    function mint(address to, uint256 count) external onlyOwner {
        for (uint256 i = 0; i < count; i++) _mint(to, ++minted);
    }
}
