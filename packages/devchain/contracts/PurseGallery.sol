// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Burnable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Burnable.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";

/// An ERC-721 with burns, whose minter sets the metadata URI of each token.
contract PurseGallery is ERC721URIStorage, ERC721Burnable, Ownable {
    constructor() ERC721("Purse Gallery", "GALLERY") Ownable(msg.sender) {}

    function mint(address to, uint256 id, string calldata uri) external onlyOwner {
        _mint(to, id);
        _setTokenURI(id, uri);
    }

    function tokenURI(uint256 id) public view override(ERC721, ERC721URIStorage) returns (string memory) {
        return super.tokenURI(id);
    }

    function supportsInterface(bytes4 id) public view override(ERC721, ERC721URIStorage) returns (bool) {
        return super.supportsInterface(id);
    }
}
