// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// A marketplace that logs its sales like Seaport, with the event OrderFulfilled and Seaport's item types. Orders
/// are placed on the chain instead of being signed.
contract PurseMarket {
    /// 0 native coin, 1 ERC-20, 2 ERC-721, 3 ERC-1155.
    struct SpentItem {
        uint8 itemType;
        address token;
        uint256 identifier;
        uint256 amount;
    }

    struct ReceivedItem {
        uint8 itemType;
        address token;
        uint256 identifier;
        uint256 amount;
        address payable recipient;
    }

    event OrderFulfilled(
        bytes32 orderHash,
        address indexed offerer,
        address indexed zone,
        address recipient,
        SpentItem[] offer,
        ReceivedItem[] consideration
    );

    mapping(bytes32 => bool) private placed;

    /// The sender offers `offer` in exchange for `consideration`.
    function place(SpentItem[] calldata offer, ReceivedItem[] calldata consideration) external {
        placed[hashOf(msg.sender, offer, consideration)] = true;
    }

    function fulfil(
        address offerer,
        SpentItem[] calldata offer,
        ReceivedItem[] calldata consideration
    ) external payable {
        bytes32 hash = hashOf(offerer, offer, consideration);
        require(placed[hash], "there is no such order");
        placed[hash] = false;
        emit OrderFulfilled(hash, offerer, address(0), msg.sender, offer, consideration);
        for (uint256 i = 0; i < offer.length; i++) {
            SpentItem calldata item = offer[i];
            move(item.itemType, item.token, item.identifier, item.amount, offerer, msg.sender);
        }
        for (uint256 i = 0; i < consideration.length; i++) {
            ReceivedItem calldata item = consideration[i];
            move(item.itemType, item.token, item.identifier, item.amount, msg.sender, item.recipient);
        }
        require(address(this).balance == 0, "more was paid than the order asks for");
    }

    function hashOf(
        address offerer,
        SpentItem[] calldata offer,
        ReceivedItem[] calldata consideration
    ) private pure returns (bytes32) {
        return keccak256(abi.encode(offerer, offer, consideration));
    }

    function move(
        uint8 itemType,
        address token,
        uint256 identifier,
        uint256 amount,
        address from,
        address to
    ) private {
        if (itemType == 0) {
            (bool paid, ) = to.call{value: amount}("");
            require(paid, "the receiver takes no ether");
        } else if (itemType == 1) {
            require(IERC20(token).transferFrom(from, to, amount), "the tokens did not move");
        } else if (itemType == 2) {
            IERC721(token).transferFrom(from, to, identifier);
        } else {
            IERC1155(token).safeTransferFrom(from, to, identifier, amount, "");
        }
    }
}
