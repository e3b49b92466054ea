// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Consecutive} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Consecutive.sol";

/// A collection whose tokens are minted in the constructor, with one log per owner (ERC-2309).
contract PurseSeries is ERC721Consecutive {
    constructor(address[] memory owners, uint96[] memory counts) ERC721("Purse Series", "SERIES") {
        for (uint256 i = 0; i < owners.length; i++) _mintConsecutive(owners[i], counts[i]);
    }

    function burn(uint256 id) external {
        _update(address(0), id, msg.sender);
    }
}
