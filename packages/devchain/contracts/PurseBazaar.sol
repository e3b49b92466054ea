// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// A marketplace that logs its sales like LooksRare v2, with the events TakerBid and TakerAsk.
contract PurseBazaar {
    struct NonceInvalidationParameters {
        bytes32 orderHash;
        uint256 orderNonce;
        bool isNonceInvalidated;
    }

    event TakerAsk(
        NonceInvalidationParameters nonceInvalidationParameters,
        address askUser,
        address bidUser,
        uint256 strategyId,
        address currency,
        address collection,
        uint256[] itemIds,
        uint256[] amounts,
        address[2] feeRecipients,
        uint256[3] feeAmounts
    );
    event TakerBid(
        NonceInvalidationParameters nonceInvalidationParameters,
        address bidUser,
        address bidRecipient,
        uint256 strategyId,
        address currency,
        address collection,
        uint256[] itemIds,
        uint256[] amounts,
        address[2] feeRecipients,
        uint256[3] feeAmounts
    );

    /// An offer to sell (`isAsk`) or to buy a token; currency 0 is the native coin.
    struct Order {
        address maker;
        bool isAsk;
        address collection;
        uint256 itemId;
        address currency;
        uint256 price;
    }

    Order[] private orders;

    function place(bool isAsk, address collection, uint256 itemId, address currency, uint256 price) external {
        require(isAsk || currency != address(0), "who bids pays with a token");
        orders.push(Order(msg.sender, isAsk, collection, itemId, currency, price));
    }

    /// The fee is half a percent of the price.
    function take(uint256 number) external payable {
        Order memory order = orders[number];
        require(order.maker != address(0), "this order is taken");
        delete orders[number];
        (address seller, address buyer) = order.isAsk ? (order.maker, msg.sender) : (msg.sender, order.maker);
        uint256 fee = order.price / 200;
        tell(order, number, seller, fee);
        IERC721(order.collection).transferFrom(seller, buyer, order.itemId);
        if (order.currency == address(0)) {
            require(msg.value == order.price, "the price is another");
            (bool paid, ) = seller.call{value: order.price - fee}("");
            require(paid, "the seller takes no ether");
        } else {
            require(msg.value == 0, "it is paid with a token");
            require(IERC20(order.currency).transferFrom(buyer, address(this), order.price), "it is not paid");
            require(IERC20(order.currency).transfer(seller, order.price - fee), "the seller is not paid");
        }
    }

    function tell(Order memory order, uint256 number, address seller, uint256 fee) private {
        NonceInvalidationParameters memory nonce = NonceInvalidationParameters(
            keccak256(abi.encode(order)),
            number,
            true
        );
        uint256[] memory itemIds = new uint256[](1);
        uint256[] memory amounts = new uint256[](1);
        (itemIds[0], amounts[0]) = (order.itemId, 1);
        address[2] memory recipients = [seller, address(0)];
        uint256[3] memory fees = [order.price - fee, 0, fee];
        if (order.isAsk) {
            emit TakerBid(
                nonce, msg.sender, msg.sender, 0, order.currency, order.collection, itemIds, amounts, recipients, fees
            );
        } else {
            emit TakerAsk(
                nonce, msg.sender, order.maker, 0, order.currency, order.collection, itemIds, amounts, recipients, fees
            );
        }
    }
}
