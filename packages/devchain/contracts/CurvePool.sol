// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// A pool with the functions and events of Curve's first StableSwap pools, or of its crypto pools. The product of two
/// balances is constant.
contract CurvePool {
    /// Of StableSwap pools.
    event TokenExchange(
        address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought
    );
    /// Of crypto pools.
    event TokenExchange(
        address indexed buyer,
        uint256 sold_id,
        uint256 tokens_sold,
        uint256 bought_id,
        uint256 tokens_bought,
        uint256 fee,
        uint256 packed_price_scale
    );

    /// In ten-thousandths.
    uint256 private constant FEE = 4;
    address[] private tokens;
    bool private immutable crypto;

    constructor(address[] memory coins_, bool crypto_) {
        tokens = coins_;
        crypto = crypto_;
    }

    modifier ofStable() {
        require(!crypto);
        _;
    }

    modifier ofCrypto() {
        require(crypto);
        _;
    }

    function coins(int128 i) external view ofStable returns (address) {
        return tokens[_index(i)];
    }

    function coins(uint256 i) external view ofCrypto returns (address) {
        return tokens[i];
    }

    function balances(int128 i) external view ofStable returns (uint256) {
        return _balance(_index(i));
    }

    function balances(uint256 i) external view ofCrypto returns (uint256) {
        return _balance(i);
    }

    function get_dy(int128 i, int128 j, uint256 dx) external view ofStable returns (uint256) {
        return _amountOut(_index(i), _index(j), dx);
    }

    function get_dy(uint256 i, uint256 j, uint256 dx) external view ofCrypto returns (uint256) {
        return _amountOut(i, j, dx);
    }

    function exchange(int128 i, int128 j, uint256 dx, uint256) external ofStable {
        uint256 dy = _exchange(_index(i), _index(j), dx);
        emit TokenExchange(msg.sender, i, dx, j, dy);
    }

    function exchange(uint256 i, uint256 j, uint256 dx, uint256) external ofCrypto {
        uint256 dy = _exchange(i, j, dx);
        emit TokenExchange(msg.sender, i, dx, j, dy, FEE, 0);
    }

    function _exchange(uint256 i, uint256 j, uint256 dx) private returns (uint256 dy) {
        dy = _amountOut(i, j, dx);
        IERC20(tokens[i]).transferFrom(msg.sender, address(this), dx);
        IERC20(tokens[j]).transfer(msg.sender, dy);
    }

    function _amountOut(uint256 i, uint256 j, uint256 dx) private view returns (uint256) {
        return _balance(j) * dx * (10_000 - FEE) / (_balance(i) + dx) / 10_000;
    }

    function _balance(uint256 i) private view returns (uint256) {
        return IERC20(tokens[i]).balanceOf(address(this));
    }

    function _index(int128 i) private pure returns (uint256) {
        return uint256(uint128(i));
    }
}
