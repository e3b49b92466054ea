// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {TrafficCoin} from "./TrafficCoin.sol";
import {TrafficItems} from "./TrafficItems.sol";
import {TrafficPieces} from "./TrafficPieces.sol";

/// Executes many transfers of its own tokens between any wallets in one transaction.
contract TrafficGenerator {
    struct Move {
        /// 0 to 2: a coin; 3: a piece; from 4: an item and the `kind - 4` items with the next ids.
        uint8 kind;
        address from;
        address to;
        uint256 id;
        uint256 amount;
    }

    TrafficCoin[3] public coins;
    TrafficPieces public immutable pieces;
    TrafficItems public immutable items;
    /// Number of executed transfers, so that one call shows whether all were executed.
    uint256 public moved;

    constructor() {
        coins[0] = new TrafficCoin("Traffic Ether", "TETH", 18);
        coins[1] = new TrafficCoin("Traffic Dollar", "TUSD", 6);
        coins[2] = new TrafficCoin("Traffic Point", "TPT", 0);
        pieces = new TrafficPieces();
        items = new TrafficItems();
    }

    function make(Move[] calldata moves) external {
        for (uint256 i = 0; i < moves.length; i++) {
            Move calldata move = moves[i];
            if (move.kind < 3) coins[move.kind].move(move.from, move.to, move.amount);
            else if (move.kind == 3) pieces.move(move.to, move.id);
            else moveItems(move);
        }
        moved += moves.length;
    }

    function moveItems(Move calldata move) private {
        uint256 count = move.kind - 3;
        uint256[] memory ids = new uint256[](count);
        uint256[] memory amounts = new uint256[](count);
        for (uint256 i = 0; i < count; i++) {
            ids[i] = move.id + i;
            amounts[i] = move.amount;
        }
        items.move(move.from, move.to, ids, amounts);
    }
}
