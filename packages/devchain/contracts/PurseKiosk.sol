// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// All kinds of calls: overloads, tuples, arrays, a payable function, and each kind of failure.
contract PurseKiosk {
    struct Item {
        string label;
        uint256 price;
        address[] tasters;
    }

    event Stocked(uint256 indexed id, string label, uint256 price);
    event Sold(uint256 indexed id, address indexed to, uint256 paid);

    error TooLittle(uint256 given, uint256 needed);
    error SoldOut();

    Item[] private _items;
    uint256 public sales;

    function stock(string calldata label, uint256 price) external returns (uint256 id) {
        id = _stock(label, price);
    }

    function stock(Item calldata one) external returns (uint256 id) {
        id = _stock(one.label, one.price);
        for (uint256 i = 0; i < one.tasters.length; i++) _items[id].tasters.push(one.tasters[i]);
    }

    function stock(Item[] calldata items) external returns (uint256 first) {
        first = _items.length;
        for (uint256 i = 0; i < items.length; i++) _stock(items[i].label, items[i].price);
    }

    function buy(uint256 id) external payable {
        if (id >= _items.length) revert SoldOut();
        uint256 price = _items[id].price;
        if (msg.value < price) revert TooLittle(msg.value, price);
        sales++;
        emit Sold(id, msg.sender, msg.value);
    }

    function close() external pure {
        revert("The kiosk never closes");
    }

    function item(uint256 id) external view returns (string memory label, uint256 price, address[] memory tasters) {
        Item storage found = _items[id];
        return (found.label, found.price, found.tasters);
    }

    function whole(uint256 id) external view returns (Item memory) {
        return _items[id];
    }

    function all() external view returns (Item[] memory) {
        return _items;
    }

    function total(uint256[] calldata ids) external view returns (uint256 sum) {
        for (uint256 i = 0; i < ids.length; i++) sum += _items[ids[i]].price;
    }

    function total() external view returns (uint256 sum) {
        for (uint256 i = 0; i < _items.length; i++) sum += _items[i].price;
    }

    function open(bool said) external pure returns (bool) {
        return said;
    }

    function _stock(string calldata label, uint256 price) private returns (uint256 id) {
        id = _items.length;
        Item storage made = _items.push();
        made.label = label;
        made.price = price;
        emit Stocked(id, label, price);
    }
}
