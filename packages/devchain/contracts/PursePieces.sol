// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// The development chain's ERC-721. Metadata and image are generated on the chain, so that wallets and
/// apps can show them without another server.
contract PursePieces is ERC721, Ownable {
    using Strings for uint256;

    uint256 public totalMinted;

    constructor() ERC721("Purse Pieces", "PIECE") Ownable(msg.sender) {}

    /// Mints the next piece; the first has id 1.
    function mint(address to) external onlyOwner returns (uint256 id) {
        id = ++totalMinted;
        _safeMint(to, id);
    }

    function tokenURI(uint256 id) public view override returns (string memory) {
        _requireOwned(id);
        string memory hue = ((id * 67) % 360).toString();
        bytes memory picture = abi.encodePacked(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="hsl(',
            hue,
            ' 45% 22%)"/><circle cx="50" cy="50" r="30" fill="hsl(',
            hue,
            ' 70% 62%)"/></svg>'
        );
        bytes memory metadata = abi.encodePacked(
            '{"name":"Purse Piece #',
            id.toString(),
            '","description":"A piece of the development chain.","image":"data:image/svg+xml;base64,',
            Base64.encode(picture),
            '"}'
        );
        return string.concat("data:application/json;base64,", Base64.encode(metadata));
    }
}
