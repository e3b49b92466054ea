// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// The development chain's ERC-1155. `name` and `symbol` are not part of the standard, but explorers call them.
contract PurseItems is ERC1155, Ownable {
    using Strings for uint256;

    string public constant name = "Purse Items";
    string public constant symbol = "ITEM";

    constructor() ERC1155("") Ownable(msg.sender) {}

    function mint(address to, uint256 id, uint256 amount) external onlyOwner {
        _mint(to, id, amount, "");
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts) external onlyOwner {
        _mintBatch(to, ids, amounts, "");
    }

    function uri(uint256 id) public pure override returns (string memory) {
        bytes memory metadata = abi.encodePacked(
            '{"name":"Purse Item #',
            id.toString(),
            '","description":"An item of the development chain."}'
        );
        return string.concat("data:application/json;base64,", Base64.encode(metadata));
    }
}
